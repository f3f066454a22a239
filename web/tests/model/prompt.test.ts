// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { readForm } from "../../src/model/form";
import { offersOf } from "../../src/model/offer";
import { promptFor, SYSTEM_TEXT } from "../../src/model/prompt";
import { synthetic } from "../synthetic";

const fixtures = new URL("../fixtures/", import.meta.url).pathname;
const WISH = { aim: "time" as const, gpu: false, onlyLine: false, instructions: "" };

function demo(name: string) {
    const profile = readForm(JSON.parse(readFileSync(`${fixtures}${name}.form.json`, "utf8")));
    const source = readFileSync(`${fixtures}${name}.py`, "utf8").split("\n");
    const rowOf = (line: number) => profile.lines.line.indexOf(line);
    return { profile, source, rowOf };
}

test("the page says to a model what the server says", () => {
    const c = readFileSync(new URL("../../../src/suggest/prompt.c", import.meta.url), "utf8");
    const literal = /system_text\[\] =\s+((?:"(?:[^"\\]|\\.)*"\s*)+);/.exec(c)?.[1] ?? "";
    const pieces = [...literal.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map((match) =>
        match[1].replaceAll('\\"', '"'),
    );
    expect(SYSTEM_TEXT).toBe(pieces.join(""));
});

test("a prompt has the task, the numbers, what stands out, the imports and the code", () => {
    const { profile, source, rowOf } = demo("gpu");
    const prompt = promptFor(profile, rowOf(20), source, { ...WISH, instructions: "keep it short" });
    expect(prompt).toContain("Rewrite lines 17 to 20 of the code below so that they take less time.");
    expect(prompt).toContain("Also: keep it short");
    expect(prompt).toMatch(/- threads waited here \(measured\): 1\.\d+s for the GPU\n/);
    expect(prompt).toMatch(/- GPU busy while a thread was here: \d+%/);
    expect(prompt).not.toMatch(/scalene|Linux/);
    expect(prompt).toMatch(/- Threads waited 1\.\d+s for the GPU/);
    expect(prompt).toContain("import tensors");
    expect(prompt).toContain("def train(steps):\n");
    expect(prompt).toContain(
        "# >>> the lines to rewrite begin here, with line 17\n    for _ in range(steps):\n",
    );
    expect(prompt).toContain(
        "losses.append(model.loss())\n# <<< the lines to rewrite end here\n    return losses\n",
    );
    const one = promptFor(profile, rowOf(20), source, { ...WISH, aim: "memory", onlyLine: true });
    expect(one).toContain("Rewrite line 20 of the code below so that it needs less memory.");
});

test("lines with a hundredth of time or memory at stake offer a proposal, with their region", () => {
    const { profile, rowOf } = demo("gpu");
    const offers = offersOf(profile);
    for (const line of [9, 10, 20]) expect(offers[rowOf(line)], String(line)).toBe(1);
    expect(offers[rowOf(19)]).toBe(1); // it has nothing of its own: its loop has
    const form = synthetic({ lines: 1000, samples: 1000, stacks: 1000 });
    const few = offersOf(readForm({ ...form, functions: {} }));
    expect([...few].filter(Boolean)).toHaveLength(1); // each a thousandth; line 2 holds the memory
    const blind = { ...form, files: { ...form.files, source_lines: [0] } };
    expect([...offersOf(readForm(blind))].some(Boolean)).toBe(false);
});

test("of a region that is too long to be sent its statements are asked about, as by the server", () => {
    const form = synthetic({ lines: 200, samples: 200, stacks: 200 }); // each line has half a hundredth
    const at = (lineOf: (line: number) => number) => Array.from({ length: 200 }, (_, row) => lineOf(row + 1));
    const offersWith = (last: number) => {
        const columns = {
            region_first: at((line) => (line <= last ? 1 : line)),
            region_last: at((line) => (line <= last ? last : line)),
            statement_first: at((line) => (line >= 10 && line <= 12 ? 10 : line)),
            statement_last: at((line) => (line >= 10 && line <= 12 ? 12 : line)),
        };
        const lines = { ...form.lines, ...columns, at_peak_mb: at(() => 0) };
        const offers = offersOf(readForm({ ...form, lines }));
        return [...offers].flatMap((isOffered, row) => (isOffered ? [row + 1] : []));
    };
    expect(offersWith(50)).toEqual(Array.from({ length: 50 }, (_, row) => row + 1));
    expect(offersWith(51)).toEqual([10, 11, 12]);
});
