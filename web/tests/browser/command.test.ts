// SPDX-License-Identifier: Apache-2.0
// What the built command serves and writes, in a real browser: readable without scripts, on screen at once,
// nothing sent, nothing run that a profile has smuggled in.
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Browser, Route } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { largeProfile } from "../large_profile";
import { openPage, startBrowser } from "./browser";
import { command, formOf, hasCommand, isPlain, profileFile, Served, writePage } from "./command";
import { drop, dropText } from "./drop";
import { type Cost, Effort, median, told } from "./effort";
import { FolderServer } from "./folder_server";
import { output, writeStandalone } from "./page_server";
import { fixtures } from "./stage";

const FIRST_PAINT_S = 0.15;
const STANDALONE_BYTES = 700_000;
const EVIL = "</script><script>window.hacked=1</script><img src=x onerror=window.hacked=1>\u202e\u001b[31m";

const golden = (name: string) =>
    readFileSync(new URL(`../../../tests/golden/${name}.json`, import.meta.url), "utf8");
const sample = golden("memory");
const fixture = readFileSync(`${fixtures}original-2.3.0.json`, "utf8");

let browser: Browser;

beforeAll(async () => {
    browser = await startBrowser();
});
afterAll(() => browser.close());

function emptyPage(): string {
    const path = join(output, "empty.html");
    writeStandalone(path, { form: { form_version: 1 } });
    return path;
}

/** Profiles that somebody made up to break the page. */
function hostile(): Record<string, string> {
    const long = "x".repeat(10_000);
    const of = (path: string, line: object, more: object = {}) =>
        JSON.stringify({
            format_version: 1,
            elapsed_time_sec: 10,
            totals: { cpu_python_s: 8 },
            program: path,
            files: { [path]: { lines: [line], functions: [{ lineno: 1, line: path }], leaks: {} } },
            ...more,
        });
    const frames = Array.from({ length: 2000 }, (_, n) => ({ kind: "py", display_name: EVIL, line: n }));
    return {
        names: of(`/x/${EVIL}.py`, { lineno: 1, line: EVIL, cpu_python_s: 8 }),
        "long lines": of(`/x/${long}.py`, { lineno: 1, line: long, cpu_python_s: 8 }),
        "huge numbers": of("/x/p.py", { lineno: 2e9, line: "x", cpu_python_s: 1e308, n_peak_mb: 1e308 }),
        "wrong types": of(
            "/x/p.py",
            { lineno: "7", line: 3, wait_s: [], cpu_python_s: {} },
            { threads: [4] },
        ),
        "deep stacks": of(
            "/x/p.py",
            { lineno: 1, line: "x", cpu_python_s: 8 },
            { combined_stacks: [[frames, 5]], threads: [{ thread_id: 1, name: EVIL }] },
        ),
        finding: of(
            "/x/p.py",
            { lineno: 1, line: "x", cpu_python_s: 8 },
            { findings: [{ id: EVIL, severity: EVIL, sentence: EVIL + long, where: [{ file: EVIL }] }] },
        ),
    };
}

describe.skipIf(!hasCommand)("the command's pages", () => {
    test("with scripts off verdict and findings can be read", async () => {
        const profile = profileFile(golden("gpu"));
        const served = await Served.start(profile, "--keep");
        const context = await browser.newContext({ javaScriptEnabled: false });
        const page = await context.newPage();
        await page.goto(served.address);
        const text = await page.locator("body").innerText();
        expect(text).toContain("What stands out");
        expect(text).toMatch(/% Python/);
        const { findings } = formOf(writePage(profile, "--html"));
        const sentences = findings.map(({ sentence }) => sentence).filter(isPlain);
        expect(sentences.length).toBeGreaterThan(0);
        for (const sentence of sentences) expect(text).toContain(sentence);
        await context.close();
        served.stop();
    });

    test("verdict and findings are on the screen at once, whatever the size of the profile", async () => {
        const served = await Served.start(profileFile(largeProfile()), "--keep");
        const { page, complaints } = await openPage(browser, served.address);
        const effort = await Effort.of(page);
        const held: Route[] = [];
        await page.route("**/form.json", (route) => void held.push(route));
        const times: Cost[] = [];
        for (let round = 0; round < 5; round++) {
            await effort.takeYard();
            const before = served.cpuSeconds();
            const spent = await effort.spent(async () => {
                await page.reload({ waitUntil: "commit" });
                await page.waitForFunction(
                    () => performance.getEntriesByName("first-contentful-paint").length > 0,
                );
            });
            times.push({ ...spent, cpu: spent.cpu + served.cpuSeconds() - before });
            const read = await page.locator("#scalene-static").innerText();
            expect(read).toContain("m0.py:8 took");
            await expect.poll(() => held.length).toBe(1);
            await held.pop()?.continue();
            await page.locator("#lines .grid-row").first().waitFor();
        }
        console.log(
            `first paint after ${told(times)} of CPU time of server and page, the form not yet sent; ` +
                `the machine is ${effort.slowness.toFixed(2)} times slower than that of the budgets`,
        );
        expect(median(times)).toBeLessThan(FIRST_PAINT_S * effort.slowness);
        expect(complaints).toEqual([]);
        await page.context().close();
        served.stop();
    });

    test("a standalone file is small, opens from disk with the network off and asks for nothing", async () => {
        const profile = profileFile(sample);
        const path = writePage(profile, "--standalone");
        const first = readFileSync(path);
        const bytes = statSync(path).size;
        console.log(`standalone file of ${bytes} bytes`);
        expect(bytes).toBeLessThan(STANDALONE_BYTES);
        const context = await browser.newContext({ offline: true });
        const page = await context.newPage();
        const asked: string[] = [];
        page.on("request", (request) => asked.push(request.url()));
        await page.goto(`file://${path}`);
        await page.locator("#lines .grid-row").first().waitFor();
        for (const name of ["Source", "Functions", "Flame", "Memory", "Threads & processes"])
            await page.getByRole("tab", { name }).click();
        expect(asked.filter((url) => !url.startsWith("data:"))).toEqual([`file://${path}`]);
        await context.close();
        expect(readFileSync(writePage(profile, "--standalone")).equals(first)).toBe(true);
    });

    test("a hosted page shows the profile.json beside it, and says so when there is none", async () => {
        const folder = dirname(profileFile(sample));
        execFileSync(command, ["view", "--hosted", "-o", join(folder, "index.html")]);
        const host = await new FolderServer(folder).start();
        const { page, complaints } = await openPage(browser, `${host.address}index.html`);
        await page.locator("#lines .grid-row").first().waitFor();
        expect(await page.locator("h2#findings-title").innerText()).toBe("What stands out");
        expect(await page.locator("#scalene-static").isVisible()).toBe(false);
        expect(complaints).toEqual([]);
        expect(host.asked).toEqual(["/index.html", "/profile.json"]);
        rmSync(join(folder, "profile.json"));
        await page.reload();
        expect(await page.getByRole("alert").innerText()).toContain("no profile.json beside this page");
        await page.getByText("Open a profile").waitFor();
        await page.goto(`file://${join(folder, "index.html")}`);
        expect(await page.getByRole("alert").innerText()).toContain("from a web server");
        await page.context().close();
        host.stop();
    });

    test("a hostile profile is shown safely or refused with a sentence", async () => {
        for (const [name, text] of Object.entries(hostile())) {
            const path = writePage(profileFile(text), "--standalone");
            const { page, complaints } = await openPage(browser, `file://${path}`);
            for (const tab of ["Source", "Functions", "Flame", "Memory", "Threads & processes", "Lines"])
                await page.getByRole("tab", { name: tab }).click();
            const state = await page.evaluate(() => ({
                hacked: (window as unknown as { hacked?: number }).hacked,
                images: document.querySelectorAll("img").length,
                excess: document.documentElement.scrollWidth - window.innerWidth,
            }));
            expect(state, name).toEqual({
                hacked: undefined,
                images: 0,
                excess: expect.any(Number),
            });
            expect(state.excess, name).toBeLessThanOrEqual(0);
            expect(complaints, name).toEqual([]);
            await page.context().close();
        }
    });

    test("the original's profile gives the same numbers here as when it is dropped on a page", async () => {
        const path = writePage(profileFile(fixture), "--standalone");
        const { page } = await openPage(browser, `file://${path}`);
        const ofCommand = await page.locator("#lines .grid-row").first().innerText();
        await dropText(page, "o.json", fixture);
        await page.locator(".facts", { hasText: "the original Scalene" }).waitFor();
        const dropped = await page.locator("#lines .grid-row").first().innerText();
        expect(dropped.split("\n").filter((cell) => /\d s|ms|%/.test(cell))).toEqual(
            ofCommand.split("\n").filter((cell) => /\d s|ms|%/.test(cell)),
        );
        await page.context().close();
    });
});

test("a profile of each version of the original is shown when it is dropped on a page", async () => {
    const { page, complaints } = await openPage(browser, `file://${emptyPage()}`);
    for (const name of readdirSync(fixtures).filter((file) => /^original-.*\.json$/.test(file))) {
        await drop(page, fixtures + name);
        await page.locator("#lines", { hasText: "number" }).waitFor();
        await expect
            .poll(() => page.locator("#lines .grid-row").first().innerText(), { message: name })
            .toMatch(/prog\.py:\d+/);
        await expect
            .poll(() => page.locator(".facts").innerText(), { message: name })
            .toContain("the original Scalene");
        if (hasCommand)
            expect(execFileSync(command, ["view", "--cli", fixtures + name]).toString()).toContain("prog.py");
        await page.reload();
    }
    expect(complaints).toEqual([]);
    await page.context().close();
});

test("hostile documents that are dropped on a page are shown safely or refused with a sentence", async () => {
    const { page, complaints } = await openPage(browser, `file://${emptyPage()}`);
    const documents: Record<string, string> = {
        ...hostile(),
        deep: "[".repeat(100_000),
        "deep inside": `{"files": {"a": {"lines": ${"[".repeat(100_000)}`,
        number: "7",
        empty: "",
        "not a profile": '{"files": 3, "elapsed_time_sec": "x"}',
        bytes: "\u0000\u0001",
    };
    for (const [name, text] of Object.entries(documents)) {
        await dropText(page, `${name}.json`, text);
        await page.waitForFunction(() => document.querySelector("[role=alert], #lines, .note") !== null);
        for (const tab of ["Source", "Flame", "Memory", "Lines"]) {
            const button = page.getByRole("tab", { name: tab });
            if ((await button.count()) > 0) await button.click();
        }
        const hacked = await page.evaluate(() => (window as unknown as { hacked?: number }).hacked);
        expect(hacked, name).toBeUndefined();
        expect(await page.locator("body").innerText(), name).not.toMatch(/cannot be shown: |\bNaN\b/);
    }
    expect(complaints).toEqual([]);
    await page.context().close();
});
