// SPDX-License-Identifier: Apache-2.0
// Flame graph and timeline, by mouse and by keys.
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { numbered, synthetic } from "../synthetic";
import { AXIS_WIDTH } from "./page_server";
import { demo, useStage } from "./stage";
import { Visit } from "./visit";

const stage = useStage();
const visit = new Visit(stage);
const SOME_BOX = { x: 10, y: 45 };

/** The canvas, once it knows its boxes: a click before that would meet none. */
async function drawn(page: Page) {
    const canvas = page.locator(".flame-frame canvas");
    await expect
        .poll(async () => {
            await canvas.hover({ position: { x: SOME_BOX.x + 1, y: SOME_BOX.y } });
            await canvas.hover({ position: SOME_BOX });
            return page.locator(".flame-status").innerText();
        })
        .toMatch(/f\d/);
    return canvas;
}

test("flame: zoom by mouse and keys, every mode, the same in the table", async () => {
    const page = await visit.open({ form: synthetic(), sources: [numbered] }, "#v1/flame");
    const canvas = await drawn(page);
    const box = (await canvas.boundingBox()) as { x: number; y: number; width: number; height: number };
    await page.mouse.click(box.x + SOME_BOX.x, box.y + SOME_BOX.y);
    await expect.poll(() => page.locator(".crumbs").innerText()).toMatch(/everything[\s\S]*root[\s\S]*f\d/);
    await page.locator(".flame-frame").focus();
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await page.locator(".crumbs").waitFor({ state: "detached" });
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("ArrowDown");
    await expect.poll(() => page.locator(".flame-status").innerText()).toContain("root: 1.00 s, 100 %");
    await page.keyboard.press("s");
    await expect
        .poll(() => page.getByRole("button", { name: "Sandwich", exact: true }).getAttribute("aria-pressed"))
        .toBe("true");
    for (const mode of ["Flame", "Inverted", "Time order", "Icicle"]) {
        await page.getByRole("button", { name: mode, exact: true }).click();
        await page.locator("#panel canvas").waitFor();
    }
    await canvas.hover({ position: { x: 10, y: 45 } });
    await page.keyboard.down("Control");
    await page.mouse.wheel(0, -100);
    await expect.poll(() => page.locator(".crumbs").innerText()).toMatch(/everything[\s\S]*root[\s\S]*f\d/);
    await page.mouse.wheel(0, 100);
    await page.locator(".crumbs").waitFor({ state: "detached" });
    await page.keyboard.up("Control");
    await page.locator("#panel").getByLabel("as table").check();
    await page.getByRole("treegrid").focus();
    await page.keyboard.press("ArrowDown");
    await expect.poll(() => page.locator("#panel .is-active").innerText()).toContain("root");
    await expect.poll(() => page.locator(".side h2").innerText()).toBe("root");
});

test("flame: a box that stands for many small ones opens by a click, until single ones are seen", async () => {
    const page = await visit.open(
        { form: synthetic({ lines: 2000, samples: 20_000, stacks: 2000 }), sources: [] },
        "#v1/flame",
    );
    const canvas = page.locator(".flame-frame canvas");
    const status = () => page.locator(".flame-status").innerText();
    await canvas.hover({ position: { x: 30, y: 45 } });
    await expect.poll(status).toContain("2000 more, 20.0 s: click to see them");
    await canvas.click({ position: { x: 30, y: 45 } });
    await expect.poll(() => page.locator(".crumbs").innerText()).toMatch(/root\s*› 2.000 small ones/);
    await canvas.hover({ position: { x: 30, y: 45 } });
    await expect.poll(status).toMatch(/^f\d+: 10 ms/);
    const width = (await canvas.boundingBox())?.width ?? 0;
    await canvas.click({ position: { x: width - 5, y: 45 } });
    await expect.poll(() => page.locator(".crumbs").innerText()).toMatch(/› 1.9\d\d small ones/);
    await page.locator(".flame-frame").focus();
    await page.keyboard.press("Escape");
    await expect.poll(() => page.locator(".crumbs").innerText()).not.toContain("small ones");
    await page.keyboard.press("Escape");
    await page.locator(".crumbs").waitFor({ state: "detached" });
});

test("flame: whatever the colours are by, a legend says so", async () => {
    const page = await visit.open(demo("threads"), "#v1/flame?frames=all");
    const legend = page.locator("#panel .legend");
    const texts: Record<string, RegExp> = {
        module: /threads\.py[\s\S]* more; a grey box/,
        self: /all of its time is its own[\s\S]*in what it called/,
        kind: /Python[\s\S]*native[\s\S]*system/,
    };
    for (const [colouring, text] of Object.entries(texts)) {
        await page.locator("#panel").getByLabel("colour").selectOption(colouring);
        await expect.poll(() => legend.innerText()).toMatch(text);
    }
});

test("timeline: the wheel zooms around what is pointed at, and the zooms lead back", async () => {
    const page = await visit.open(
        { form: synthetic({ samples: 8000 }), sources: [numbered] },
        "#v1/flame?flame=time",
    );
    const zooms = page.getByRole("navigation", { name: "Timeline zoomed to" });
    const brush = page.locator(".timeline .brush");
    const width = await brush.evaluate((element) => element.clientWidth);
    await brush.hover({ position: { x: AXIS_WIDTH + (width - AXIS_WIDTH) / 2, y: 20 } });
    await page.keyboard.down("Control");
    await page.mouse.wheel(0, -100);
    await zooms.getByRole("button", { name: /0\.80 s–7\.20 s$/ }).waitFor();
    await page.keyboard.up("Control");
    await expect.poll(() => page.locator(".chip").count()).toBe(0);
    await expect.poll(() => page.locator(".ruler").innerText()).toContain("0.80 s");
    const ends = page.locator(".timeline input[type=number]");
    for (const [end, value] of [
        [0, "3"],
        [1, "4"],
    ] as const) {
        await ends.nth(end).fill(value);
        await ends.nth(end).press("Enter");
    }
    await page.getByRole("button", { name: "zoom in" }).click();
    await expect
        .poll(() => zooms.getByRole("button").allInnerTexts())
        .toEqual(["whole run", "0.80 s–7.20 s", "3.00 s–4.00 s"]);
    await zooms.getByRole("button", { name: "whole run" }).click();
    await expect.poll(() => zooms.count()).toBe(0);
});

test("flame: the menu of a box focuses, hides and folds", async () => {
    const page = await visit.open({ form: synthetic(), sources: [numbered] }, "#v1/flame");
    const box = (await (await drawn(page)).boundingBox()) as { x: number; y: number };
    await page.mouse.click(box.x + SOME_BOX.x, box.y + SOME_BOX.y, { button: "right" });
    await page.getByRole("menuitem", { name: /^Hide/ }).click();
    await expect.poll(() => page.locator(".chips").innerText()).toContain("without f");
    await page.locator(".chip").click();
    await page.mouse.click(box.x + 10, box.y + 45, { button: "right" });
    await page.getByRole("menuitem", { name: /^Focus/ }).click();
    await expect.poll(() => page.locator(".chips").innerText()).toContain("showing 5.0 %");
});
