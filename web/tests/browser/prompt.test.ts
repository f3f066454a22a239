// SPDX-License-Identifier: Apache-2.0
// What the page lets a person copy is what the command would send: the same profiles through both.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readForm } from "../../src/model/form";
import { promptFor } from "../../src/model/prompt";

const root = new URL("../../..", import.meta.url).pathname;
const scalene = join(process.env.SCALENE_BUILD ?? join(root, "build"), "scalene");
const WISH = { aim: "time" as const, gpu: false, onlyLine: false, instructions: "" };

const PLACES: [string, string, number, boolean][] = [
    ["async", "train.py", 14, false],
    ["async", "train.py", 25, false],
    ["gpu", "train.py", 13, true],
    ["gpu", "train.py", 14, true],
    ["gpu", "train.py", 20, true],
    ["memory", "train.py", 8, false],
    ["memory", "train.py", 20, false],
    ["mixed", "train.py", 14, true],
    ["mixed", "util.py", 2, false],
];

interface Document {
    files: Record<string, { lines: { line: string }[] }>;
}

/** As the original writes what means something in HTML. */
function unescaped(line: string): string {
    return line.replace(/\\u([0-9a-f]{4})/g, (_, digits: string) =>
        String.fromCharCode(parseInt(digits, 16)),
    );
}

function ofPage(name: string, file: string, line: number, onlyLine: boolean): string {
    const golden = join(root, "tests/golden", name);
    const profile = readForm(JSON.parse(readFileSync(`${golden}-0-form.txt`, "utf8")));
    const { files } = JSON.parse(readFileSync(`${golden}.json`, "utf8")) as Document;
    const path = Object.keys(files).find((candidate) => candidate.endsWith(file)) ?? "";
    const source = files[path].lines.map(({ line }) => unescaped(line.replace(/\r?\n$/, "")));
    const { lines } = profile;
    const index = profile.files.findIndex((candidate) => candidate.path === path);
    const row = lines.line.findIndex((at, place) => at === line && lines.file[place] === index);
    return promptFor(profile, row, source, { ...WISH, onlyLine });
}

function ofCommand(name: string, file: string, line: number, onlyLine: boolean): string {
    const profile = join(root, "tests/golden", `${name}.json`);
    const words = [
        "propose",
        "--print-prompt",
        "--line",
        `${file}:${line}`,
        ...(onlyLine ? ["--only-line"] : []),
    ];
    const shown = execFileSync(scalene, [...words, profile], {
        encoding: "utf8",
        env: { PATH: process.env.PATH },
    });
    return shown.replace("System:\n", "").replace("\n\nUser:\n", "\n\n");
}

test.each(PLACES)("%s, %s:%i", (name, file, line, onlyLine) => {
    expect(ofPage(name, file, line, onlyLine)).toBe(ofCommand(name, file, line, onlyLine));
});
