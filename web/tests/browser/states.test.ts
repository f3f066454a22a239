// SPDX-License-Identifier: Apache-2.0
// What is not an ordinary profile on an ordinary server: each is a sentence and a next step, never a blank panel.
import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { numbered, synthetic } from "../synthetic";
import { drop } from "./drop";
import { output, PageServer, writeStandalone } from "./page_server";
import { demo, fixtures, useStage } from "./stage";
import { rowTexts, Visit } from "./visit";

const threads = demo("threads");
const stage = useStage();
const visit = new Visit(stage);

test("another profile: the original's is dropped and what it lacks is said", async () => {
    const page = await visit.open({});
    await expect.poll(() => page.locator(".welcome").innerText()).toContain("Open a profile");
    await drop(page, `${fixtures}original-2.3.0.json`);
    await page.locator("#lines .grid-row").first().waitFor();
    await expect.poll(() => page.locator(".facts").innerText()).toContain("the original Scalene");
    await expect.poll(() => page.locator("#lines").innerText()).toContain("total += number * number % 7");
    await page.locator(".receipt summary").click();
    await expect.poll(() => page.locator(".receipt").innerText()).toContain("does not state errors");
});

test("a profile cut short is told with the place, and the one shown stays", async () => {
    const page = await visit.open({ form: synthetic(), sources: [numbered] });
    const json = readFileSync(`${fixtures}original-2.3.0.json`).subarray(0, 5000);
    await page
        .locator(".top input[type=file]")
        .setInputFiles({ name: "cut.json", mimeType: "application/json", buffer: json });
    const text = await page.getByRole("alert").innerText();
    expect(text).toMatch(/cut\.json: This is not whole JSON\. It breaks at character \d+ of 5000, near/);
    await expect.poll(() => rowTexts(page, "lines")).not.toHaveLength(0);
});

test("a profile is chosen as well as dropped, and one too large is refused with what to do", async () => {
    const page = await visit.open({});
    const folder = mkdtempSync(join(tmpdir(), "scalene-large-"));
    const large = join(folder, "large.json");
    writeFileSync(large, "");
    truncateSync(large, 201 * 2 ** 20); // nothing of it is on the disk, or read
    await page.locator(".welcome input[type=file]").setInputFiles(large);
    await expect
        .poll(() => page.getByRole("alert").innerText())
        .toBe("large.json has 201 MB, more than a browser can show well. Run: scalene view large.json");
    await page.locator(".welcome input[type=file]").setInputFiles(`${fixtures}original-2.3.0.json`);
    await page.locator("#lines .grid-row").first().waitFor();
    await expect.poll(() => page.getByRole("alert").count()).toBe(0);
    rmSync(folder, { recursive: true });
});

test("a program that still runs: the page says until when it is complete", async () => {
    const running = demo("threads");
    running.form.profile.ended = { how: "running", status: 0 };
    const page = await visit.open(running);
    await expect
        .poll(() => page.locator(".banner").innerText())
        .toBe("The program is still running. The profile is complete up to that moment.");
    await page.locator("#lines .grid-row").first().waitFor();
});

test("a panel that fails says so, with a report to copy, and the others live", async () => {
    const page = await visit.open(threads);
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.locator("#lines .grid-row").first().waitFor();
    await page.evaluate(() => {
        const { prototype } = CanvasRenderingContext2D;
        const { fillText } = prototype;
        // The timeline draws by the same function, and may do so once more.
        prototype.fillText = function (...words) {
            if (!this.canvas.closest(".flame-frame")) {
                fillText.apply(this, words);
                return;
            }
            prototype.fillText = fillText;
            throw new Error("out of ink");
        };
    });
    await page.getByRole("tab", { name: "Flame" }).click();
    const failure = page.getByRole("alert");
    await expect
        .poll(() => failure.innerText())
        .toContain("Flame cannot be shown: out of ink. The other panels still work.");
    await failure.getByRole("button", { name: "Copy the report" }).click();
    await page.locator("[role=status]", { hasText: "Report copied." }).waitFor({ state: "attached" });
    expect(await page.evaluate(() => navigator.clipboard.readText())).toContain("Flame: out of ink");
    await page.getByRole("tab", { name: "Functions" }).click();
    await page.locator("#functions .grid-row").first().waitFor();
    await page.getByRole("tab", { name: "Flame" }).click();
    await expect.poll(() => page.locator(".flame-status").innerText()).toContain("everything");
});

test("hostile names are text", async () => {
    const evil = [
        "</script><script>window.hacked=1</script>",
        "<img src=x onerror=window.hacked=1>",
        "\u202eevil\u001b[31m",
        "x".repeat(10_000),
    ];
    const form = synthetic({ lines: 4, stacks: 4, names: evil, path: "/app/</script><b>.py" });
    const page = await visit.open({ form, sources: [evil.join("\n")] });
    for (const tab of ["Source", "Functions", "Flame", "Threads & processes", "Lines"]) {
        await page.getByRole("tab", { name: tab }).click();
    }
    expect(await page.evaluate(() => (window as unknown as { hacked?: number }).hacked)).toBeUndefined();
    await expect.poll(() => page.locator("#panel b img, #panel script").count()).toBe(0);
    const width = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect(width).toBeLessThanOrEqual(0);
});

test("an empty profile says why, in every panel", async () => {
    const form = {
        form_version: 1,
        profile: { format_version: 1, program: "nap.py", elapsed_s: 2, ended: { how: "signal", status: 9 } },
        quality: { notes: ["The program used no CPU time."] },
    };
    const page = await visit.open({ form });
    await expect.poll(() => page.locator(".banner").innerText()).toContain("ended by signal 9");
    for (const tab of ["Lines", "Source", "Functions", "Flame", "Memory", "Threads & processes"]) {
        await page.getByRole("tab", { name: tab }).click();
        expect((await page.locator("#panel").innerText()).length).toBeGreaterThan(10);
    }
});

test("a server that is gone leaves a page that works", async () => {
    const mortal = await new PageServer().start();
    mortal.shown = { form: synthetic(), sources: [numbered] };
    const page = await visit.at(mortal.address);
    mortal.stop();
    await page.locator(".banner").waitFor();
    await page.getByRole("tab", { name: "Flame" }).click();
    await expect.poll(() => page.locator(".flame-status").innerText()).toContain("everything");
    visit.forgive(/ERR_|Failed to load/);
});

test("a standalone file opens from disk with no network and asks for nothing", async () => {
    const path = join(output, "standalone.html");
    writeStandalone(path, threads);
    const page = await visit.at(`file://${path}`, { offline: true });
    await page.getByRole("tab", { name: "Source" }).click();
    await page.getByText("import time, threading").first().waitFor();
});

test("a sandboxed frame of 420 pixels, without storage or history", async () => {
    const page = await visit.open({ form: synthetic(), sources: [numbered] });
    const path = join(output, "framed.html");
    writeStandalone(path, threads);
    const html = readFileSync(path, "utf8");
    await page.goto("about:blank");
    await page.evaluate((text) => {
        const frame = document.createElement("iframe");
        frame.setAttribute("sandbox", "allow-scripts");
        frame.width = "420";
        frame.height = "900";
        frame.srcdoc = text;
        document.body.append(frame);
    }, html);
    const frame = page.frameLocator("iframe");
    await frame.getByRole("tab", { name: "Functions" }).click();
    await frame.locator("#functions .grid-row").first().waitFor();
});
