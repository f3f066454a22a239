// SPDX-License-Identifier: Apache-2.0
// A file that a person drags onto the page and drops.
import { basename } from "node:path";
import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";

export async function drop(page: Page, path: string): Promise<void> {
    await dropText(page, basename(path), readFileSync(path, "utf8"));
}

export async function dropText(page: Page, name: string, text: string): Promise<void> {
    const dataTransfer = await page.evaluateHandle(
        ([fileName, content]) => {
            const transfer = new DataTransfer();
            transfer.items.add(new File([content], fileName, { type: "application/json" }));
            return transfer;
        },
        [name, text],
    );
    const app = page.locator(".app");
    await app.dispatchEvent("dragover", { dataTransfer });
    await app.dispatchEvent("drop", { dataTransfer });
    await dataTransfer.dispose();
}
