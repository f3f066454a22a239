// SPDX-License-Identifier: Apache-2.0
// The page as a person uses it: only what is on the screen is read and clicked.
import { join } from "node:path";
import { expect, test } from "vitest";
import { numbered, synthetic } from "../synthetic";
import { AXIS_WIDTH, output, writeStandalone } from "./page_server";
import { demo, useStage } from "./stage";
import { rowTexts, Visit } from "./visit";

const threads = demo("threads");
const stage = useStage();
const visit = new Visit(stage);

test("what is slow: the hot line is named, and show lands on it in its source", async () => {
    const page = await visit.open(threads);
    const finding = page.locator(".finding", { hasText: "of the CPU time" }).first();
    const line = /:(\d+) took/.exec(await finding.innerText())?.[1];
    await finding.getByRole("button", { name: /^show/ }).click();
    const active = page.locator("#source .is-active", { hasText: "s += i * i % 7" });
    expect((await active.innerText()).split(/\s+/)).toContain(line);
    const seconds = threads.form.lines.python_s[threads.form.lines.number.indexOf(Number(line))];
    await expect.poll(() => page.locator(".side").innerText()).toContain(`${seconds.toFixed(2)} s (`);
});

test("why: evidence, method and next step of a finding", async () => {
    const page = await visit.open(threads);
    await page.getByText("why").first().click();
    const text = await page.locator(".why-body").first().innerText();
    expect(text).toContain(threads.form.findings[0].next_step);
    expect(text).toContain(threads.form.findings[0].how_measured);
});

test("where does memory go: peak, leak and what is held", async () => {
    const page = await visit.open({ form: synthetic(), sources: [numbered] });
    await page.getByRole("tab", { name: "Memory" }).click();
    await expect.poll(async () => (await rowTexts(page, "memory"))[0]).toContain("main.py:2");
    await page.getByRole("button", { name: "Suspected leaks" }).click();
    await expect.poll(() => rowTexts(page, "memory")).toHaveLength(1);
    const leaks = await rowTexts(page, "memory");
    expect(leaks[0]).toContain("5.0 MB/s");
    expect(leaks[0]).toContain("growing");
});

test("why do threads not scale: waits by thread, and kind:wait.gil sums to the same", async () => {
    const page = await visit.open(threads);
    await page.getByRole("tab", { name: "Threads & processes" }).click();
    await expect.poll(async () => (await rowTexts(page, "threads")).join("\n")).toContain("worker-1");
    await page.getByRole("tab", { name: "Lines" }).click();
    await page.getByRole("searchbox").fill("kind:wait.gil");
    await page.locator(".chip").waitFor();
    const waited = threads.form.lines.wait_gil_s.filter((value: number) => value > 0);
    await expect.poll(() => rowTexts(page, "lines")).toHaveLength(waited.length);
});

test("a program that forks: each thread is told from those of the same name, and processes filter too", async () => {
    const page = await visit.open(demo("forks"), "#v1/threads");
    const labels = page.locator(".lanes li");
    const lanes = await labels.evaluateAll((items) => items.map((item) => (item as HTMLElement).title));
    for (const [place, text] of (await labels.allInnerTexts()).entries())
        expect(lanes[place]).toContain(`(${/\d+$/.exec(text)?.[0]})`);
    expect(lanes.filter((name) => /^MainThread \(\d+\)$/.test(name))).toHaveLength(3);
    expect(new Set(lanes).size).toBe(lanes.length);
    const note = () => page.locator(".chips .note").innerText();
    const child = lanes.filter((name) => name.startsWith("MainThread"))[1];
    await page.getByRole("button", { name: child }).click();
    await expect.poll(() => page.locator(".chip").allInnerTexts()).toEqual([`✕ thread ${child}`]);
    const alone = await note();
    await page.reload();
    await expect.poll(note).toBe(alone);
    await page.locator(".chip").click();
    const pid = /\d+/.exec(child)?.[0];
    await page.getByRole("button", { name: `process ${pid}` }).click();
    await expect.poll(() => page.locator(".chip").allInnerTexts()).toEqual([`✕ process ${pid}`]);
    await expect.poll(note).not.toBe(alone); // its helper ran too
    await page.getByRole("button", { name: child }).click();
    await expect.poll(note).toBe(alone);
    await page
        .getByText(/^helper \(\d+\): the identifier is also that of a thread of another process/)
        .waitFor();
});

test("only that spike: a drag filters everything, Escape, Back, reload and a new tab", async () => {
    const page = await visit.open({ form: synthetic({ samples: 8000 }), sources: [numbered] });
    const brush = page.locator("#brush");
    const box = (await brush.boundingBox()) as { x: number; y: number; width: number; height: number };
    const x = (part: number) => box.x + AXIS_WIDTH + part * (box.width - AXIS_WIDTH);
    await page.mouse.move(x(0.25), box.y + 20);
    await page.mouse.down();
    await page.mouse.move(x(0.4), box.y + 20);
    await page.mouse.move(x(0.5), box.y + 20);
    await page.mouse.up();
    const chip = page.locator(".chip").first();
    const [from, to] = (await chip.innerText()).match(/[\d.]+/g)?.map(Number) ?? [];
    expect(from).toBeCloseTo(2, 1);
    expect(to).toBeCloseTo(4, 1);
    const note = await page.locator(".chips .note").innerText();
    expect(note).toMatch(/showing 2[45]\.\d % of 8\.00 s/);
    const inRange = Math.ceil(to * 1000) - Math.ceil(from * 1000);
    await page.getByRole("tab", { name: "Flame" }).click();
    await expect
        .poll(() => page.locator(".flame-status").innerText())
        .toContain(`${(inRange / 1000).toFixed(2)} s, 100 %`);
    const link = page.url();
    await page.reload();
    await page.locator(".chip").waitFor();
    expect(page.url()).toBe(link);
    const other = await page.context().newPage();
    await other.goto(link);
    await expect.poll(() => other.locator(".chip").first().innerText()).toBe(await chip.innerText());
    await other.close();
    await page.keyboard.press("Escape");
    await chip.waitFor({ state: "detached" });
    await page.goBack();
    await page.locator(".chip").waitFor();
});

test("search: a small function is found, zoomed to, negated, by expression, and taken away", async () => {
    const page = await visit.open(
        { form: synthetic({ lines: 2000, samples: 20_000, stacks: 2000 }), sources: [] },
        "#v1/functions",
    );
    await page.keyboard.press("/");
    await page.keyboard.type("fn:/^f1234$/");
    await page.locator(".chip").waitFor();
    await expect.poll(() => rowTexts(page, "functions")).toHaveLength(1);
    await page.getByRole("tab", { name: "Flame" }).click();
    await expect
        .poll(() => page.locator(".toolbar", { hasText: "matched:" }).innerText())
        .toContain("matched: 10 ms");
    await page.getByRole("searchbox").press("Enter");
    await page.locator(".crumbs").waitFor();
    await expect.poll(() => page.locator(".crumbs").innerText()).toContain("f1234");
    await page.getByRole("searchbox").fill("-fn:f1");
    await page.getByRole("tab", { name: "Functions" }).click();
    await page.locator("#functions .grid-row").first().waitFor();
    await expect.poll(async () => (await rowTexts(page, "functions")).join()).not.toContain("f1");
    await page.getByRole("searchbox").fill("/(/");
    await expect.poll(() => page.locator("#search-problem").innerText()).not.toBe("");
    await page.locator(".chip").click();
    await expect.poll(() => page.getByRole("searchbox").inputValue()).toBe("");
});

test("search: th: shows what threads of a name ran, in every panel", async () => {
    const page = await visit.open({ form: synthetic({ lines: 10 }), sources: [numbered] });
    await expect.poll(() => rowTexts(page, "lines")).toHaveLength(10);
    await page.getByRole("searchbox").fill("th:worker");
    await expect.poll(() => rowTexts(page, "lines")).toHaveLength(5);
    await expect.poll(() => page.locator(".chips .note").innerText()).toContain("showing 50.0 % of 1.00 s");
    await page.getByRole("tab", { name: "Flame" }).click();
    await expect.poll(() => page.locator(".flame-status").innerText()).toContain("500 ms, 100 %");
    await page.getByRole("searchbox").fill("th:nobody");
    await page.getByRole("tab", { name: "Lines" }).click();
    await expect.poll(() => rowTexts(page, "lines")).toHaveLength(0);
});

test("a GPU: how busy, whose work, who waits for it", async () => {
    const page = await visit.open(demo("gpu"), "#v1/lines");
    await expect
        .poll(() => page.locator(".verdict").innerText())
        .toMatch(/NVIDIA A10 busy 2\d\.\d %\s+this program's work alone/);
    await page.getByText(/^Threads waited [\d.]+s for the GPU, most of it at train\.py:20\.$/).waitFor();
    await page.getByText(/^The GPU NVIDIA A10 was busy for only \d+% of the time/).waitFor();
    await expect
        .poll(async () => (await rowTexts(page, "lines"))[0])
        .toMatch(/U\s*1\.\d+ s\s+\d+\.\d % 1\.37 GB/);
    await expect.poll(() => page.locator(".gpu-track canvas").count()).toBe(1);
    await page.locator(".timeline").getByLabel("as table").check();
    await expect.poll(() => page.locator(".timeline th", { hasText: "busy: NVIDIA A10" }).count()).toBe(1);
    await page.getByRole("tab", { name: "Functions" }).click();
    await expect
        .poll(async () => (await rowTexts(page, "operators"))[0])
        .toMatch(/sgemm_kernel\s+GPU\s+–\s+610 ms\s+40/);
    await page.locator("#operators").getByText("train.py:20").click();
    await expect.poll(() => page.locator("#source").count()).toBe(1);
    const waiting = await page.locator("#source .grid-row", { hasText: "losses.append(model" }).innerText();
    expect(waiting).toMatch(/U 1\.\d+ s\s+\d+\.\d %/);
});

test("a file from disk: marks on what is worth a question, and a prompt to copy; nothing is sent", async () => {
    const path = join(output, "prompt.html");
    writeStandalone(path, demo("gpu"));
    const page = await visit.at(`file://${path}`);
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    const row = page.locator("#lines .grid-row", { hasText: "train.py:9" });
    await row.getByRole("button", { name: "ask a model about this line" }).click();
    await expect.poll(() => page.locator(".side h2").innerText()).toBe("train.py:9");
    const panel = page.locator(".proposal");
    await panel.getByText("This page sends nothing.").waitFor();
    await panel.getByLabel("less memory").check();
    await panel.getByRole("button", { name: "Copy prompt" }).click();
    await page.locator("[role=status]", { hasText: "Prompt copied." }).waitFor({ state: "attached" });
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toContain("so that they need less memory");
    expect(copied).toContain("row = [random.random() for _ in range(64)]");
    await page.getByRole("searchbox").fill("row");
    await panel.getByText("in the whole run, whatever the filter shows").waitFor();
    await page.getByRole("searchbox").fill("");
    const marks = page.getByRole("button", { name: "ask a model about this line" });
    await expect.poll(() => marks.count()).toBeLessThan(await page.locator("#lines .grid-row").count());
    await page.getByRole("tab", { name: "Source" }).click();
    await page.locator("#source .offer").first().waitFor();
    expect(asked).toEqual([]);
});

test("keyboard only: skip link, one stop a table, arrows, Enter, Back, tabs, theme, help", async () => {
    const page = await visit.open({ form: synthetic(), sources: [numbered] });
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await expect
        .poll(() => page.evaluate(() => document.activeElement?.closest("#panel") !== null))
        .toBe(true);
    await page.locator("#lines").focus();
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("j");
    await expect.poll(() => page.locator("#lines .is-active").getAttribute("aria-rowindex")).toBe("4");
    const outline = await page
        .locator("#lines")
        .evaluate((element) => getComputedStyle(element).outlineWidth);
    expect(parseFloat(outline)).toBeGreaterThanOrEqual(2);
    await page.keyboard.press("Enter");
    await expect
        .poll(() => page.getByRole("tab", { name: "Source" }).getAttribute("aria-selected"))
        .toBe("true");
    await page.keyboard.press("[");
    await page.locator("#lines").waitFor();
    for (const [key, name] of [
        ["3", "Functions"],
        ["6", "Threads & processes"],
        ["1", "Lines"],
    ]) {
        await page.keyboard.press(key);
        await expect.poll(() => page.getByRole("tab", { name }).getAttribute("aria-selected")).toBe("true");
    }
    const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
    const before = await theme();
    await page.keyboard.press("d");
    await expect.poll(() => theme()).not.toBe(before);
    await page.keyboard.press("?");
    await expect.poll(() => page.getByRole("dialog").innerText()).toContain("search");
    await page.keyboard.press("Escape");
    await page.keyboard.press("t");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Shift+ArrowRight");
    await page.locator(".chip").waitFor();
    await page.keyboard.press("r");
    await page.locator(".chip").waitFor({ state: "detached" });
});
