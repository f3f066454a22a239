// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { NO_FILTER } from "../../src/model/filter";
import { readForm } from "../../src/model/form";
import { chosenRows, rankText, ranksOf, sorted } from "../../src/model/ranking";
import { functionRows, lineRows } from "../../src/model/rows";
import { sum, weigh } from "../../src/model/weigh";
import { synthetic } from "../synthetic";
import { slowness, work } from "../yardstick";

const profile = readForm(synthetic({ lines: 10, samples: 1000, threads: 2 }));
const rowsOf = (filter = NO_FILTER) => lineRows(profile, filter, weigh(profile, filter));

test("without a filter the numbers are the profile's own", () => {
    const rows = rowsOf();
    expect(rows.isFromSamples).toBe(false);
    expect(rows.time[0]).toBeCloseTo(0.1, 9);
    expect(rows.whole).toBe(1);
    expect(rows.wait[0]).toBe(2);
});

test("a time range sums the samples in it, and nothing else", () => {
    const filter = { ...NO_FILTER, time: [0.2, 0.45] as [number, number] };
    const weights = weigh(profile, filter);
    expect(weights.shown).toBeCloseTo(0.25, 9);
    const rows = lineRows(profile, filter, weights);
    expect(sum(rows.time)).toBeCloseTo(weights.shown, 9);
    expect(rows.time[3]).toBeCloseTo(0.025, 9);
    expect(rows.parts[0][3] / rows.time[3]).toBeCloseTo(0.75, 6);
    const functions = functionRows(profile, filter, weights);
    expect(sum(functions.time)).toBeCloseTo(weights.shown, 9);
});

test("a thread's samples alone are counted", () => {
    const weights = weigh(profile, { ...NO_FILTER, threads: ["worker-1"] });
    expect(weights.shown).toBeCloseTo(0.5, 9);
});

test("th: in a search counts that thread's samples alone, and shows the rows that have some", () => {
    const filter = { ...NO_FILTER, search: "th:worker" };
    const rows = rowsOf(filter);
    expect(sum(rows.time)).toBeCloseTo(0.5, 9);
    const chosen = chosenRows(profile, rows, filter, () => "");
    expect([...chosen]).toEqual([1, 3, 5, 7, 9]); // sample i is of thread i % 2 and of line i % 10
    expect(weigh(profile, { ...NO_FILTER, search: "-th:worker" }).shown).toBeCloseTo(0.5, 9);
    expect(weigh(profile, NO_FILTER).shown).toBeCloseTo(1, 9);
});

test("kinds choose parts of the time", () => {
    expect(weigh(profile, { ...NO_FILTER, kinds: ["native"] }).shown).toBeCloseTo(0.25, 9);
    const rows = rowsOf({ ...NO_FILTER, search: "kind:wait.gil" });
    expect(sum(rows.time)).toBe(0);
    expect(sum(rows.wait)).toBe(2);
});

test("below and without a function", () => {
    expect(weigh(profile, { ...NO_FILTER, root: "f3@main.py" }).shown).toBeCloseTo(0.1, 9);
    expect(weigh(profile, { ...NO_FILTER, hidden: ["f3@main.py"] }).shown).toBeCloseTo(0.9, 9);
});

test("functions have the time of what they called once, however deep they call themselves", () => {
    const rows = functionRows(profile, NO_FILTER, weigh(profile, NO_FILTER));
    expect(rows.total?.[4]).toBeCloseTo(0.1, 9);
});

test("search chooses rows and rows are ranked", () => {
    const rows = rowsOf();
    const chosen = chosenRows(profile, rows, { ...NO_FILTER, search: "fn:f1" }, () => "");
    expect([...chosen]).toEqual([1]);
    const all = chosenRows(profile, rows, NO_FILTER, () => "");
    const order = sorted(all, (row) => rows.time[row] + row * 1e-6, false);
    expect(order[0]).toBe(9);
    const ranks = ranksOf(rows, order);
    expect([rankText(ranks, 0), rankText(ranks, 1)]).toEqual(["1", "1="]);
});

test("a brush that is dragged on counts what a fresh one does, to the last bit", () => {
    const form = synthetic({ lines: 40, samples: 5000, threads: 3 });
    form.samples.count = form.samples.count.map((_, index) => 1 + (index % 5));
    const dragged = readForm(form);
    const ranges = [
        [1, 2],
        [1.1, 2.3],
        [0.7, 2.2],
        [0.7, 4.9],
        [4.2, 4.3],
        [4.25, 4.26],
        [3, 1],
        [0, 5],
        [0.5, 5],
    ];
    for (const [from, to] of ranges as [number, number][]) {
        for (const threads of [[], [], ["worker-1"]]) {
            const filter = { ...NO_FILTER, time: [from, to] as [number, number], threads };
            const fresh = weigh(readForm(form), filter);
            expect(weigh(dragged, filter)).toEqual(fresh);
        }
    }
});

/** Not the clock's time: others use this machine too. */
function cpuSeconds(act: () => void): number {
    const start = process.cpuUsage();
    act();
    const used = process.cpuUsage(start);
    return (used.user + used.system) / 1e6;
}

test("a million samples are weighed within the budget of a brush", () => {
    const large = readForm(synthetic({ lines: 100_000, samples: 1_000_000, threads: 8, stacks: 50_000 }));
    const times: number[] = [];
    const yards: number[] = [];
    work();
    for (let round = 0; round < 7; round++) {
        const filter = { ...NO_FILTER, time: [50 + round, 950 + round] as [number, number] };
        yards.push(cpuSeconds(work));
        let shown = 0;
        const spent = cpuSeconds(() => {
            const weights = weigh(large, filter);
            lineRows(large, filter, weights);
            shown = weights.shown;
        });
        times.push(spent);
        expect(shown).toBeCloseTo(900, 3);
    }
    const slower = slowness(yards);
    expect(Math.min(...times), `s of CPU: ${times}, slower by ${slower}`).toBeLessThan(0.05 * slower);
});
