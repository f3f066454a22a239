// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { readFileSync } from "node:fs";
import { convert, isProfileJson } from "../../src/model/convert";
import { NO_FILTER } from "../../src/model/filter";
import { readForm } from "../../src/model/form";
import { shortNames } from "../../src/model/profile";
import { lineRows } from "../../src/model/rows";
import { weigh } from "../../src/model/weigh";
import { synthetic } from "../synthetic";

const fixture = (name: string) => readFileSync(new URL(`../fixtures/${name}`, import.meta.url), "utf8");

test("a form that scalene wrote is read whole", () => {
    const form = JSON.parse(fixture("threads.form.json"));
    const profile = readForm(form);
    expect(profile.findings.map((finding) => finding.sentence)).toEqual(
        form.findings.map((finding: { sentence: string }) => finding.sentence),
    );
    expect(profile.lines.count).toBe(form.lines.number.length);
    const weights = weigh(profile, NO_FILTER);
    expect(weights.all).toBeCloseTo(form.totals.cpu_s, 1);
    expect(lineRows(profile, NO_FILTER, weights).whole).toBe(form.totals.total_s);
});

test("the receipt names what wrote the profile, and on what", () => {
    const golden = new URL("../../../tests/golden/memory-0-form.txt", import.meta.url);
    const { run } = readForm(JSON.parse(readFileSync(golden, "utf8")));
    expect(run.versions).toBe("scalene 3.0.0, Python 3.12.1, Linux 6.1.0, 2 cores");
    expect(run.cores).toBe(2);
});

test("threads of one name are told apart by their process, else by their identifier", () => {
    const thread = (name: string, pid: number, id: string) => ({ name, pid, id });
    const threads = [
        thread("MainThread", 7, "1"),
        thread("MainThread", 8, "1"),
        thread("pool", 7, "2"),
        thread("pool", 7, "3"),
        thread("pool", 8, "2"),
        thread("writer", 8, "4"),
        thread("twin", 8, "5"),
        thread("twin", 8, "6"),
    ];
    expect(readForm({ form_version: 1, threads }).threads.map(({ name }) => name)).toEqual([
        "MainThread (7)",
        "MainThread (8)",
        "pool (7, thread 2)",
        "pool (7, thread 3)",
        "pool (8)",
        "writer",
        "twin (thread 5)",
        "twin (thread 6)",
    ]);
});

test("one thread, all of a name, or one process of a program that forks", () => {
    const profile = readForm(JSON.parse(fixture("forks.form.json")));
    const shown = (filter: object) => weigh(profile, { ...NO_FILTER, ...filter }).shown;
    const pids = profile.processes.map(({ pid }) => String(pid));
    const mains = pids.map((pid) => shown({ threads: [`MainThread (${pid})`] }));
    const sum = (values: number[]) => values.reduce((all, value) => all + value, 0);
    expect(pids).toHaveLength(3);
    expect(Math.min(...mains)).toBeGreaterThan(0);
    expect(shown({ threads: ["MainThread"] })).toBeCloseTo(sum(mains), 9);
    expect(sum(pids.map((pid) => shown({ processes: [pid] })))).toBeCloseTo(shown({}), 9);
    expect(shown({ processes: [pids[1]], threads: ["MainThread"] })).toBeCloseTo(mains[1], 9);
});

test.each([
    [null],
    [[]],
    [{ form_version: 1 }],
    [{ form_version: 1, lines: { file: "x", number: [1] }, threads: 5, stacks: { parent: [0, 7, -5] } }],
    [
        {
            form_version: 1,
            strings: [1, null],
            files: { path: [99] },
            lines: { file: [7], number: [-1], python_s: [null] },
        },
    ],
])("a broken form %# gives an empty profile or one sentence", (form) => {
    try {
        const profile = readForm(form);
        lineRows(profile, NO_FILTER, weigh(profile, NO_FILTER));
    } catch (error) {
        expect((error as Error).message).toMatch(/^This is not a profile/);
    }
});

test("columns cut short, wrong types and cycles are survived", () => {
    const form = synthetic() as unknown as Record<string, Record<string, unknown[]>>;
    form.lines.python_s = [1, "2" as never, NaN];
    form.stacks.parent = form.stacks.parent.map((_, index) => index);
    form.samples.stack = form.samples.stack.map(() => 1e9);
    form.samples.thread = [];
    const profile = readForm(form);
    expect(profile.stacks.parent.every((parent, index) => parent < index)).toBe(true);
    expect(weigh(profile, NO_FILTER).shown).toBeGreaterThan(0);
});

test("a newer form is refused with what to do", () => {
    expect(() => readForm({ form_version: 2 })).toThrow(/use a newer scalene/);
});

test("the original's profile is converted: numbers, source, stacks, and what it lacks", () => {
    const json = JSON.parse(fixture("original-2.3.0.json"));
    expect(isProfileJson(json)).toBe(true);
    const { form, sources } = convert(json);
    const profile = readForm(form);
    expect(profile.run.madeBy).toBe("the original Scalene");
    expect(profile.run.missing.errors).toBeTruthy();
    const path = Object.keys(json.files)[0];
    const first = json.files[path].lines.find(
        (line: { n_cpu_percent_python: number }) => line.n_cpu_percent_python > 0,
    );
    const row = profile.lines.line.indexOf(first.lineno);
    expect(profile.lines.columns.python_s[row]).toBeCloseTo(
        (first.n_cpu_percent_python / 100) * json.elapsed_time_sec,
        6,
    );
    expect(sources[0].some((line) => line.includes("<"))).toBe(true);
    expect(profile.samples.time.length).toBe(json.combined_stacks_timeline.length);
});

test("file names are as short as they stay apart", () => {
    expect(shortNames(["/a/b/x.py", "/a/c/x.py", "/a/y.py", "z"])).toEqual(["b/x.py", "c/x.py", "y.py", "z"]);
});
