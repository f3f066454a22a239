// SPDX-License-Identifier: Apache-2.0
// What is in a file that --standalone writes: what the terminal says, and nothing that was not asked for.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { command, hasCommand, isPlain, profileFile, unpacked, writePage } from "./command";
import { useStage } from "./stage";
import { Visit } from "./visit";

const KEY = "planted-key-41";
const SOURCE = "return hashlib.sha256(stream.read()).hexdigest()";
const sample = readFileSync(new URL("../../../tests/golden/gpu.json", import.meta.url), "utf8");

const visit = new Visit(useStage());
afterEach(() => void vi.unstubAllEnvs());

interface Line {
    lineno: number;
    cpu_python_s: number;
    cpu_native_s: number;
    cpu_system_s: number;
}

/** The line that took most, by the terminal's listing. */
function hottestInTerminal(profile: string): { path: string; line: number; seconds: number } {
    const [head, ...rows] = execFileSync(command, ["view", "--cli", "--format", "tsv", profile])
        .toString()
        .trimEnd()
        .split("\n")
        .map((row) => row.split("\t"));
    const at = head.indexOf("cpu_s");
    const [row] = rows.sort((one, other) => Number(other[at]) - Number(one[at]));
    return { path: row[0], line: Number(row[1]), seconds: Number(row[at]) };
}

describe.skipIf(!hasCommand)("a standalone file", () => {
    test("has no key of the environment, and without source no source", () => {
        for (const name of ["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "AWS_SECRET_ACCESS_KEY"])
            vi.stubEnv(name, KEY);
        const profile = profileFile(sample);
        const whole = unpacked(writePage(profile, "--standalone"));
        const bare = unpacked(writePage(profile, "--standalone", "--no-source"));
        expect(whole).toContain(SOURCE);
        expect(bare).toContain("train.py");
        expect(bare).not.toContain(SOURCE);
        for (const text of [whole, bare]) {
            expect(text).not.toContain(KEY);
            expect(text).not.toContain(dirname(profile)); // where it was made
        }
    });

    test("has the numbers of the profile and the words of the terminal", async () => {
        const profile = profileFile(sample);
        const { path, line, seconds } = hottestInTerminal(profile);
        const saved: Line = JSON.parse(sample).files[path].lines.find((item: Line) => item.lineno === line);
        expect(saved.cpu_python_s + saved.cpu_native_s + saved.cpu_system_s).toBeCloseTo(seconds, 6);
        const page = await visit.at(`file://${writePage(profile, "--standalone")}`);
        const row = await page.locator("#lines .grid-row").first().innerText();
        expect(row).toContain(`train.py:${line}`);
        expect(row).toContain(`${seconds.toFixed(2)} s`);
        const terminal = execFileSync(command, ["view", "--cli", profile]).toString().replace(/\s+/g, " ");
        const sentences = (await page.locator(".finding .sentence").allInnerTexts()).filter(isPlain);
        expect(sentences.length).toBeGreaterThan(0);
        for (const sentence of sentences) expect(terminal).toContain(sentence.replace(/\s+/g, " "));
    });
});
