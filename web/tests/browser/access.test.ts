// SPDX-License-Identifier: Apache-2.0
// Everybody can use it: no violation of WCAG 2.2 A and AA that axe finds, on every tab, in both themes, wide and narrow, with
// chips, menus, details, errors and the dialog open. What was looked at is kept as pictures in tests/output.
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { beforeEach, expect, test } from "vitest";
import { violations } from "./axe";
import { drawn, openPage } from "./browser";
import { output } from "./page_server";
import { demo, useStage } from "./stage";

const TABS = ["lines", "source", "functions", "flame", "memory", "threads"];
const SIZES = { wide: [1440, 900], middle: [900, 700], narrow: [390, 844] } as const;

const stage = useStage();
beforeEach(() => {
    stage.server.shown = demo("threads");
});

async function showTab(page: Page, tab: number): Promise<void> {
    await page.keyboard.press(String(tab + 1));
    await expect.poll(() => page.getByRole("tab").nth(tab).getAttribute("aria-selected")).toBe("true");
    await drawn(page);
}

/** What axe finds on each tab of a demo program, and in what a person may open there. */
class Inspection {
    readonly found: string[] = [];

    constructor(
        readonly page: Page,
        private place: string,
    ) {}

    async of(name: string): Promise<void> {
        const { page } = this;
        await page.screenshot({ path: join(output, `${name}-${this.place}.png`), fullPage: true });
        this.found.push(...(await violations(page)).map((text) => `${name}: ${text}`));
    }

    async ofTabs(program: string): Promise<void> {
        for (let tab = 0; tab < TABS.length; tab++) {
            await showTab(this.page, tab);
            await this.of(program === "threads" ? TABS[tab] : `${program}-${TABS[tab]}`);
        }
    }
}

async function inspect(
    scheme: "light" | "dark",
    size: keyof typeof SIZES,
    act: (inspection: Inspection) => Promise<void>,
): Promise<void> {
    const [width, height] = SIZES[size];
    const { page, complaints } = await openPage(stage.browser, stage.server.address, {
        colorScheme: scheme,
        viewport: { width, height },
    });
    const inspection = new Inspection(page, `${size}-${scheme}`);
    await act(inspection);
    expect(inspection.found).toEqual([]);
    expect(complaints).toEqual([]);
    await page.context().close();
}

async function openEverything(inspection: Inspection): Promise<void> {
    const { page } = inspection;
    await page.goto(`${stage.server.address}#v1/flame?t=1-2&th=worker-1&q=hot`);
    await page.locator("#panel").getByLabel("as table").check();
    await page.locator(".timeline").getByLabel("as table").check();
    await inspection.of("filtered-tables");
    await page.locator("#panel").getByLabel("as table").uncheck();
    await page.locator(".flame-frame canvas").click({ button: "right", position: { x: 60, y: 30 } });
    await page.getByRole("menu").waitFor();
    await inspection.of("menu");
    await page.keyboard.press("Escape");
    await showTab(page, 0);
    await page.locator("summary", { hasText: "Columns" }).click();
    await page.getByText("why").first().click();
    await page.locator(".receipt summary").click();
    await page.getByRole("searchbox").fill("/(/");
    await page.locator(".top input[type=file]").setInputFiles({
        name: "cut.json",
        mimeType: "application/json",
        buffer: Buffer.from('{"files": {'),
    });
    await page.getByRole("alert").waitFor();
    await inspection.of("opened");
    await page.getByRole("button", { name: /^Help/ }).click();
    await inspection.of("help");
}

for (const scheme of ["light", "dark"] as const) {
    test(`${scheme}: every tab passes axe, and so does what can be opened`, async () => {
        await inspect(scheme, "wide", async (inspection) => {
            await inspection.ofTabs("threads");
            await openEverything(inspection);
        });
    });

    test(`${scheme}: every tab of a phone's width passes axe, with the details open`, async () => {
        await inspect(scheme, "narrow", async (inspection) => {
            await inspection.page.getByText("Details of the selection").click();
            await inspection.ofTabs("threads");
        });
    });

    test(`${scheme}: a program with a GPU, one with an event loop, one that was killed pass axe`, async () => {
        for (const program of ["gpu", "loop"]) {
            stage.server.shown = demo(program);
            await inspect(scheme, "wide", (inspection) => inspection.ofTabs(program));
        }
        const killed = demo("lock");
        killed.form.profile.ended = { how: "signal", status: 9 };
        stage.server.shown = killed;
        await inspect(scheme, "narrow", async (inspection) => {
            await inspection.page.locator(".banner").waitFor();
            await inspection.of("killed");
        });
    });
}

async function isInSight(tab: Locator, width: number): Promise<boolean> {
    const box = await tab.boundingBox();
    const isChosen = (await tab.getAttribute("aria-selected")) === "true";
    return isChosen && box !== null && box.x >= 0 && box.x + box.width <= width;
}

test("three widths: the page itself never scrolls sideways", async () => {
    for (const [name, [width, height]] of Object.entries(SIZES)) {
        const { page } = await openPage(stage.browser, stage.server.address, { viewport: { width, height } });
        for (let tab = 0; tab < TABS.length; tab++) {
            await showTab(page, tab);
            const chosen = page.getByRole("tab").nth(tab);
            await expect
                .poll(() => isInSight(chosen, width), { message: `${TABS[tab]} at ${width}` })
                .toBe(true);
            const excess = await page.evaluate(
                () => document.documentElement.scrollWidth - window.innerWidth,
            );
            expect(excess, `${TABS[tab]} at ${width}`).toBeLessThanOrEqual(0);
            if (name !== "wide")
                await page.screenshot({
                    path: join(output, `${TABS[tab]}-${name}-light.png`),
                    fullPage: true,
                });
        }
        await page.context().close();
    }
});

test("forced colours, less motion, and paper", async () => {
    const { page, complaints } = await openPage(stage.browser, stage.server.address, {
        forcedColors: "active",
        reducedMotion: "reduce",
    });
    await page.screenshot({ path: join(output, "lines-forced-colors.png") });
    await page.emulateMedia({ media: "print", forcedColors: "none" });
    await expect.poll(() => page.locator(".print-only").isVisible()).toBe(true);
    await expect.poll(() => page.locator("#lines").isVisible()).toBe(false);
    await page.screenshot({ path: join(output, "print.png"), fullPage: true });
    expect(complaints).toEqual([]);
    await page.context().close();
});
