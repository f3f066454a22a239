// SPDX-License-Identifier: Apache-2.0
// Every key that the help names does what it says, and none does where a person types.
import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { drawn, openPage } from "./browser";
import { demo, useStage } from "./stage";

const stage = useStage();
beforeAll(() => {
    stage.server.shown = demo("threads");
});

const hash = (page: Page) => page.evaluate(() => decodeURIComponent(location.hash));
const chips = (page: Page) => page.locator(".chips").innerText();

test("Escape takes away every part of a filter, one at a time", async () => {
    const parts = [
        "t=1-2",
        "root=hot%40threads.py",
        "q=s",
        "hide=grow%40threads.py",
        "hide=nat%40threads.py",
    ];
    const more = ["fold=churn%40threads.py", "th=worker-1", "pid=1", "file=threads.py", "kind=python"];
    const link = `#v1/lines?${[...parts, ...more].join("&")}`;
    const { page, complaints } = await openPage(stage.browser, stage.server.address + link);
    const chip = page.locator(".chip");
    for (let left = parts.length + more.length; left > 0; left--) {
        await expect.poll(() => chip.count()).toBe(left);
        await page.keyboard.press("Escape");
    }
    await expect.poll(() => chip.count()).toBe(0);
    await expect.poll(() => hash(page)).toBe("#v1/lines");
    expect(complaints).toEqual([]);
    await page.context().close();
});

test("every key of the help", async () => {
    const { page, complaints } = await openPage(stage.browser, stage.server.address);
    const press = async (...keys: string[]) => {
        for (const key of keys) {
            await page.keyboard.press(key);
            await drawn(page);
        }
    };
    const tried = new Set<string>();
    const tries = async (keys: string, check: () => Promise<void>) => {
        keys.split(" ").forEach((key) => tried.add(key));
        await check();
    };
    await tries("1 2 3 4 5 6", async () => {
        for (const [key, tab] of [..."123456"].entries()) {
            await press(tab);
            await expect
                .poll(() => hash(page))
                .toContain(`#v1/${["lines", "source", "functions", "flame", "memory", "threads"][key]}`);
        }
    });
    await tries("n N", async () => {
        await press("2", "n");
        const first = await hash(page);
        await press("n");
        await expect.poll(() => hash(page)).not.toBe(first);
        await press("N");
        await expect.poll(() => hash(page)).toBe(first);
    });
    await tries("[ ]", async () => {
        await press("3", "4", "[");
        await page.locator("#functions").waitFor();
        await press("]");
        await page.locator(".flame-frame").waitFor();
    });
    await tries("i", async () => {
        await press("i");
        await expect.poll(() => hash(page)).toContain("flame=inverted");
        await press("i");
        await expect.poll(() => hash(page)).not.toContain("inverted");
    });
    await tries("↑ ↓ j k Enter s", async () => {
        await press("3");
        await page.locator("#functions").focus();
        await press("Home", "ArrowDown", "j", "k", "ArrowUp", "ArrowDown", "ArrowUp");
        const name = await page.locator(".side h2").innerText();
        await press("s");
        await expect.poll(() => hash(page)).toContain(`flame=sandwich&fn=${name}`);
        await press("3");
        await page.locator("#functions").focus();
        await press("Enter");
        await page.locator("#source").waitFor();
    });
    await tries("f Escape x r", async () => {
        await press("3");
        await page.locator("#functions .grid-row").first().click();
        await press("f");
        await expect.poll(() => chips(page)).toContain("below");
        await press("Escape");
        await expect.poll(() => page.locator(".chip").count()).toBe(0);
        await press("x");
        await expect.poll(() => chips(page)).toContain("without");
        await press("r");
        await expect.poll(() => page.locator(".chip").count()).toBe(0);
    });
    await tries("t", async () => {
        await press("t", "ArrowRight", "Shift+ArrowRight");
        await expect.poll(() => page.locator(".chip").count()).toBe(1);
        await press("+");
        const zooms = page.getByRole("navigation", { name: "Timeline zoomed to" });
        await zooms.getByRole("button", { name: "whole run" }).waitFor();
        await press("-");
        await expect.poll(() => zooms.count()).toBe(0);
        await press("Escape");
    });
    await tries("d", async () => {
        const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
        const before = await theme();
        await press("d");
        await expect.poll(() => theme()).not.toBe(before);
    });
    await tries("y", async () => {
        await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
        await press("y");
        await page.locator("[role=status]", { hasText: "Link copied." }).waitFor({ state: "attached" });
        await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(page.url());
    });
    await tries("o", async () => {
        await page.evaluate(() => {
            const click = HTMLAnchorElement.prototype.click;
            HTMLAnchorElement.prototype.click = function () {
                if (this.href.startsWith("vscode:")) document.title = this.href;
                else click.call(this);
            };
        });
        await press("1");
        await page.locator("#lines .grid-row").first().click();
        await press("o");
        await expect.poll(() => page.title()).toMatch(/^vscode:\/\/file\/.*\.py:\d+$/);
    });
    await tries("/ ?", async () => {
        await press("/");
        await page.keyboard.type("1dnx");
        await expect.poll(() => page.getByRole("searchbox").inputValue()).toBe("1dnx");
        await press("Escape", "?");
        const named = await page.locator("dialog kbd").allInnerTexts();
        expect(named.filter((key) => !tried.has(key))).toEqual([]);
        await page.getByLabel("keys of one letter").uncheck();
        await press("Escape", "4");
        await expect.poll(() => hash(page)).not.toContain("#v1/flame");
    });
    expect(complaints).toEqual([]);
    await page.context().close();
});
