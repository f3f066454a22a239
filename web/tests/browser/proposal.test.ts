// SPDX-License-Identifier: Apache-2.0
// Asking a model as a person does it: the page, the real server of `scalene view`, and a model of our own.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { violations } from "./axe";
import { openPage, startBrowser, type Watched } from "./browser";
import { BEGINNING, FakeModel, HOSTILE } from "./fake_model";

const KEY = "sk-planted-0123456789abcdefghijklmnop";
const root = new URL("../../..", import.meta.url).pathname;
const SOURCE = "def work(n):\n    total = 0\n    for i in range(n):\n        total += i\n    return total\n";

let folder: string;
let browser: Browser;
let model: FakeModel;
let scalene: ChildProcess;
let watched: Watched;
let page: Page;

function writeProfile(): string {
    const path = join(folder, "prog.py");
    const seconds = [0, 0, 2, 6, 0];
    const lines = SOURCE.trimEnd()
        .split("\n")
        .map((line, index) => ({ lineno: index + 1, line, cpu_python_s: seconds[index] }));
    const profile = {
        format_version: 1,
        elapsed_time_sec: 8,
        totals: { cpu_python_s: 8 },
        program: path,
        filename: folder,
        command: ["python3", "prog.py"],
        python_version: "3.12.1",
        files: { [path]: { lines, functions: [], leaks: {} } },
    };
    writeFileSync(join(folder, "p.json"), JSON.stringify(profile));
    return join(folder, "p.json");
}

async function startView(): Promise<string> {
    const environment = { PATH: process.env.PATH, OPENAI_API_KEY: KEY, OPENAI_BASE_URL: model.address };
    const build = process.env.SCALENE_BUILD ?? join(root, "build");
    scalene = spawn(join(build, "scalene"), ["view", "--no-browser", writeProfile()], { env: environment });
    return new Promise((found, fail) => {
        scalene.stdout?.on("data", (text: Buffer) => {
            const address = /http:\S+/.exec(text.toString());
            if (address) found(address[0]);
        });
        scalene.on("exit", () => fail(new Error("scalene view ended")));
    });
}

beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "scalene-proposal-"));
    [browser, model] = await Promise.all([startBrowser(), new FakeModel().start()]);
    watched = await openPage(browser, await startView(), { acceptDownloads: true });
    page = watched.page;
});
afterAll(async () => {
    await browser.close();
    scalene.removeAllListeners("exit");
    scalene.kill();
    model.stop();
    rmSync(folder, { recursive: true });
    expect(watched.complaints).toEqual([]);
});

const panel = () => page.locator(".proposal");
const press = (name: string) => panel().getByRole("button", { name }).click();

test("a hot line offers a proposal, and shows what would be sent before it is sent", async () => {
    await panel().getByText("Ask a model for a proposal").click();
    await expect.poll(() => panel().getByLabel("Provider").inputValue()).toBe("openai");
    await press("Propose");
    await panel().getByText("What is sent").waitFor();
    const shown = await panel().innerText();
    expect(shown).toContain(`${model.address}/chat/completions`);
    expect(shown).toContain("total += i");
    expect(shown).toContain("Nothing leaves this computer");
    expect(model.questions).toHaveLength(0);
});

test("the answer becomes a difference, and stays text", async () => {
    await press("Send this");
    await panel().getByText("Save patch").waitFor();
    expect(model.questions).toHaveLength(1);
    expect(model.questions[0].key).toBe(`Bearer ${KEY}`);
    const shown = await panel().locator(".proposal-diff").innerText();
    expect(shown).toContain("total += i");
    expect(shown).toContain("total = sum(range(n))");
    expect(shown).toContain(HOSTILE);
    await expect.poll(() => panel().locator("img").count()).toBe(0);
    await page.screenshot({ path: join(root, "web/tests/output/proposal.png") });
    await press("Side by side");
    const wide = page.getByRole("dialog", { name: "Proposed change" });
    await expect.poll(() => wide.locator("tbody tr").count()).toBe(2);
    expect(await violations(page)).toEqual([]);
    await page.screenshot({ path: join(root, "web/tests/output/proposal_wide.png") });
    await wide.getByRole("button", { name: "Close" }).click();
    await wide.waitFor({ state: "detached" });
    expect(await violations(page)).toEqual([]);
});

test("a patch can be saved", async () => {
    const [download] = await Promise.all([page.waitForEvent("download"), press("Save patch")]);
    expect(download.suggestedFilename()).toBe("prog.py.patch");
    const patch = readFileSync(await download.path(), "utf8");
    expect(patch).toContain("--- a/prog.py\n+++ b/prog.py\n");
    expect(patch).toContain("+    total = sum(range(n))\n");
});

test("who has agreed once is not asked again, what has come is shown, and cancelling ends the question", async () => {
    await press("List models");
    await panel().getByText("2 models").waitFor();
    await panel().getByLabel("Model", { exact: true }).fill("slow");
    await press("Propose");
    await expect.poll(() => model.questions.length).toBe(2);
    await panel().locator(".proposal-text", { hasText: BEGINNING }).waitFor(); // the model holds the rest back
    expect(model.gone).toBe(0);
    await press("Cancel");
    await panel().getByText("Cancelled.").waitFor();
    await expect.poll(() => model.gone).toBe(1);
});

test("what cannot be typed is said", async () => {
    await panel().getByLabel("Provider").selectOption("bedrock");
    await panel().getByText("A pair of keys that signs is taken from the environment only.").waitFor();
    await panel().getByLabel("Provider").selectOption("openai");
});

test("the key is nowhere in the page", async () => {
    expect(await page.content()).not.toContain(KEY);
    const stored = await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }));
    expect(stored).not.toContain(KEY);
    expect(page.url()).not.toContain(KEY);
});

test("a key that is typed is used, and gone on reload", async () => {
    const typed = "sk-typed-into-the-page-0123456789";
    await panel().getByLabel("Model", { exact: true }).fill("one");
    await panel().getByLabel("Key", { exact: true }).fill(typed);
    await press("Propose");
    await expect.poll(() => model.questions.length).toBe(3);
    expect(model.questions[2].key).toBe(`Bearer ${typed}`);
    expect(await page.content()).not.toContain(typed);
    await page.reload();
    await panel().getByText("Ask a model for a proposal").click();
    await expect.poll(() => panel().getByLabel("Key", { exact: true }).inputValue()).toBe("");
});
