// SPDX-License-Identifier: Apache-2.0
// Somebody who has never seen the page looks for the hot line, the leaking line, the contended lock and what keeps
// the event loop of four programs. Each walk uses only text that is on the screen. The programs and their profiles, made
// by `scalene run`, are in tests/fixtures.
import { expect, test } from "vitest";
import { demo, useStage } from "./stage";
import { Visit } from "./visit";

const visit = new Visit(useStage());
const open = (name: string) => visit.open(demo(name));

test("the hot line: the first finding about CPU time, then show", async () => {
    const page = await open("threads");
    const sentence = page.getByText(/took \d+% ± \d+ of the CPU time/).first();
    await expect.poll(() => sentence.innerText()).toContain(":5 ");
    await page.getByRole("listitem").filter({ has: sentence }).getByText("show").click();
    await page.getByText("s += i * i % 7").first().waitFor();
});

test("the leaking line: its finding, then show; and the same under Memory", async () => {
    const page = await open("leak");
    const sentence = page.getByText(/seems to leak: what it allocates is kept/).first();
    const line = /leak\.py:(\d+) seems/.exec(await sentence.innerText())?.[1];
    await page.getByRole("listitem").filter({ has: sentence }).getByText("show").click();
    await page.getByText("answers[number] = bytearray(10_000)").first().waitFor();
    await page.getByText("Memory", { exact: true }).last().click();
    await page.getByText("Suspected leaks").click();
    const first = page.getByRole("row").nth(1);
    await expect.poll(() => first.innerText()).toContain("growing");
    expect(await first.innerText()).toContain(`leak.py:${line}`);
    await page.reload(); // the question is part of the address
    await expect.poll(() => first.innerText()).toContain("growing");
});

test("the contended lock: its finding names waiter and holder, the threads who waited", async () => {
    const page = await open("lock");
    const sentence = page.getByText(
        /Threads waited .* for the lock at lock\.py:\d+, which is held longest by/,
    );
    await page.getByRole("listitem").filter({ has: sentence }).getByText("show").click();
    await page.getByText("with ledger:").first().waitFor();
    await page.getByText("Lines", { exact: true }).click();
    await page.getByRole("button", { name: "Waiting" }).click();
    await expect.poll(() => page.getByRole("row").nth(1).innerText()).toMatch(/lock\.py:\d+/);
    await page.getByText("Threads & processes").click();
    await page.getByText("waits: lock").waitFor();
    await page.getByText("clerk-1").first().waitFor();
});

test("what keeps the event loop: its finding, and who waited meanwhile", async () => {
    const page = await open("loop");
    const sentence = page.getByText(/kept the event loop from everything else/).first();
    await expect.poll(() => sentence.innerText()).toMatch(/loop\.py:(19|20) kept/);
    await page.getByRole("listitem").filter({ has: sentence }).getByText("show").click();
    await page.getByText("hashlib.sha256(data).digest()").first().waitFor();
    await page.getByText("Lines", { exact: true }).click();
    await page.getByRole("button", { name: "Await" }).click();
    await page.getByText("await asyncio.sleep(0.05)").first().waitFor();
    await page.getByText("Threads & processes").click();
    await page.getByText("Tasks of the event loops").waitFor();
    await expect.poll(() => page.getByRole("grid").last().innerText()).toContain("reports");
});
