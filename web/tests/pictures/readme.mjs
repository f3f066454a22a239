// SPDX-License-Identifier: Apache-2.0
// usage: node readme.mjs PAGE.html PICTURE.png
// A picture of a page that `scalene view --standalone` wrote: tools/picture makes the README's of it.
import { resolve } from "node:path";
import { chromium } from "playwright-core";

const [page, picture] = process.argv.slice(2);
const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--font-render-hinting=none"],
});
const tab = await browser.newPage({ viewport: { width: 1440, height: 1000 } });
await tab.goto(`file://${resolve(page)}`);
await tab.locator("#lines .grid-row code").first().waitFor();
await tab.waitForTimeout(300);
await tab.screenshot({ path: picture });
await browser.close();
