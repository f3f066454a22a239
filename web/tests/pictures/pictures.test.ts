// SPDX-License-Identifier: Apache-2.0
// Every panel of the demo programs at three sizes, light and dark, as pictures in tests/output/pictures: for a person
// to look at before a release. Run by `npm run pictures`.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { openPage } from "../browser/browser";
import { output } from "../browser/page_server";
import { demo, useStage } from "../browser/stage";

const folder = join(output, "pictures");
const SIZES = { wide: [1440, 900], middle: [900, 700], narrow: [390, 844] } as const;
const ALL_VIEWS: Record<string, string> = {
    lines: "#v1/lines",
    source: "#v1/source",
    functions: "#v1/functions",
    flame: "#v1/flame?flame=flame&frames=all",
    icicle: "#v1/flame",
    inverted: "#v1/flame?flame=inverted",
    sandwich: "#v1/flame?flame=sandwich",
    time: "#v1/flame?flame=time",
    memory: "#v1/memory",
    held: "#v1/memory?memory=now",
    leaks: "#v1/memory?memory=leaks",
    churn: "#v1/memory?memory=churn",
    copies: "#v1/memory?memory=copies",
    allocating: "#v1/memory?memory=stacks",
    threads: "#v1/threads",
    brushed: "#v1/lines?t=1-2",
    searched: "#v1/lines?q=fn%3Ahot",
};

const wanted = process.env.VIEWS?.split(",");
const VIEWS = Object.entries(ALL_VIEWS).filter(([view]) => wanted?.includes(view) ?? true);

const stage = useStage();
beforeAll(() => void mkdirSync(folder, { recursive: true }));

async function take(page: Page, name: string): Promise<void> {
    await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
}

for (const program of (process.env.PROGRAMS ?? "threads,forks,leak,lock,loop,gpu").split(",")) {
    test(program, async () => {
        stage.server.shown = demo(program);
        for (const [size, [width, height]] of Object.entries(SIZES)) {
            for (const colorScheme of ["light", "dark"] as const) {
                const viewport = { width, height };
                const { page, complaints } = await openPage(stage.browser, stage.server.address, {
                    viewport,
                    colorScheme,
                });
                for (const [view, link] of VIEWS) {
                    await page.goto(stage.server.address + link);
                    await page.waitForTimeout(80);
                    await take(page, `${program}-${view}-${size}-${colorScheme}`);
                }
                await page.goto(`${stage.server.address}#v1/lines`);
                await page.getByText("why").first().click();
                await page.locator(".receipt summary").click();
                await take(page, `${program}-why-${size}-${colorScheme}`);
                expect(complaints).toEqual([]);
                await page.context().close();
            }
        }
    });
}
