// SPDX-License-Identifier: Apache-2.0
// What axe finds on a page against WCAG 2.2 A and AA.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

export async function violations(page: Page): Promise<string[]> {
    await page.evaluate(axe);
    return page.evaluate(async () => {
        type Result = { violations: { id: string; nodes: { html: string }[] }[] };
        const { axe: checker } = window as unknown as { axe: { run: (options: object) => Promise<Result> } };
        const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
        const result = await checker.run({ runOnly: { type: "tag", values: tags } });
        return result.violations.map(
            (item) => `${item.id}: ${item.nodes.map((node) => node.html.slice(0, 160)).join(" | ")}`,
        );
    });
}
