// SPDX-License-Identifier: Apache-2.0
// How long `scalene view` lives: while a page is there, asleep or awake, and not much longer.
import { readFileSync } from "node:fs";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Beats } from "./beats";
import { startBrowser } from "./browser";
import { hasCommand, profileFile, Served } from "./command";
import { RawTab } from "./raw_tab";

const TABS = 8; // more than a browser has connections to one host
const ASLEEP_BEATS = 3; // of five seconds each, with a page that must not be gone for more than one
const LISTEN =
    'for (const name of ["freeze", "resume"]) document.addEventListener(name, () => (document.title += ` ${name}`))';
const sample = readFileSync(new URL("../../../tests/golden/memory.json", import.meta.url), "utf8");

let browser: Browser;
let beats: Beats;

beforeAll(async () => {
    browser = await startBrowser();
    beats = await new Beats().start();
});
afterAll(async () => {
    await browser.close();
    beats.stop();
});

describe.skipIf(!hasCommand)("the server", () => {
    test("stays while a page is asleep, and goes when its tab is closed", async () => {
        const served = await Served.start(profileFile(sample), "--linger", "1");
        const tab = await RawTab.open(browser, served.address, beats.address);
        await expect.poll(() => beats.streams).toBe(1);
        await tab.evaluate(LISTEN);
        await tab.setAsleep(true);
        const before = beats.count;
        await expect
            .poll(() => beats.count, { timeout: 120_000 })
            .toBeGreaterThanOrEqual(before + ASLEEP_BEATS);
        expect(served.isAlive).toBe(true);
        await tab.setAsleep(false);
        await expect.poll(() => tab.evaluate("document.title")).toMatch(/ freeze resume$/);
        expect(await tab.evaluate("document.querySelectorAll('#lines .grid-row').length")).toBeGreaterThan(0);
        expect(await tab.evaluate("document.querySelectorAll('.banner').length")).toBe(0);
        expect(beats.streams).toBe(1); // it never had to ask again
        await tab.setAsleep(true);
        await tab.close();
        expect(await served.ended).toBe(0);
    });

    test("has one stream for all tabs, which passes on when its tab is closed", async () => {
        const served = await Served.start(profileFile(sample), "--linger", "600");
        const context = await browser.newContext({ proxy: { server: beats.address } });
        const before = beats.streams;
        const pages: Page[] = [];
        for (let tab = 0; tab < TABS; tab++) {
            const page = await context.newPage();
            await page.goto(served.address);
            await page.locator("#lines .grid-row").first().waitFor();
            pages.push(page);
        }
        await expect.poll(() => beats.streams).toBe(before + 1);
        await pages[0].close();
        await expect.poll(() => beats.streams).toBe(before + 2);
        served.stop();
        for (const page of pages.slice(1)) await page.locator(".banner", { hasText: "has ended" }).waitFor();
        await context.close();
    });
});
