// SPDX-License-Identifier: Apache-2.0
// What a person gives a model by hand where no server can ask it: the task, what was measured, and the code. The
// server's questions are made by src/suggest/prompt.c, in the same words; only it can see what is installed.
import type { Profile } from "./profile";
import { regionOf } from "./region";
import { regionFacts } from "./region_facts";

export interface Wish {
    aim: "time" | "memory";
    gpu: boolean;
    onlyLine: boolean;
    instructions: string;
}

export const SYSTEM_TEXT =
    "You improve Python code that was measured by a profiler. You answer with exactly one fenced " +
    "code block and nothing else. The block holds the new text of the lines between the two marks, " +
    "and only of these: they are replaced by it as it stands, so keep their indentation. It must " +
    "give the same results and have the same side effects. Import inside the block what it needs " +
    "and the file does not import. Begin it with a comment that starts with " +
    '"# Proposed optimization:" and says what changes and why it helps, by the measurements. If ' +
    "nothing is worth changing, return the lines as they are with such a comment that says so.";

const FUNCTION_LINES_MAX = 100;
const LINES_BEFORE = 9;
const IMPORTS_MAX = 50;
const CONTEXT_LINE_MAX = 400;

interface Region {
    first: number;
    last: number;
    functionFirst: number; // 0: there is none
    contextFirst: number;
    contextLast: number;
}

/** Of the whole run, whatever the filter shows. */
export function promptFor(profile: Profile, row: number, source: string[], wish: Wish): string {
    const region = placeOf(profile, row, source.length, wish.onlyLine);
    const parts = [
        SYSTEM_TEXT,
        taskOf(region, wish),
        surroundingsOf(profile),
        part(
            "Measured there (half-widths of 95 % intervals)",
            regionFacts(profile, rowsIn(profile, row, region)),
        ),
        part("What stands out", findingsIn(profile, row, region)),
        part("Imports of the file", importsOf(source)),
        codeOf(source, region),
    ];
    return `${parts.filter(Boolean).join("\n\n")}\n`;
}

function part(heading: string, lines: string[]): string {
    return lines.length > 0 ? `${heading}:\n${lines.join("\n")}` : "";
}

function placeOf({ lines }: Profile, row: number, length: number, onlyLine: boolean): Region {
    const [first, last] = regionOf(lines, row, onlyLine);
    const [head, end] = ["function_first", "function_last"].map((name) => lines.columns[name]?.[row] || 0);
    const functionFirst = head < end && head <= first ? head : 0;
    const isShort = functionFirst > 0 && end - head < FUNCTION_LINES_MAX;
    const near = Math.max(1, functionFirst, first - LINES_BEFORE);
    return {
        first,
        last,
        functionFirst,
        contextFirst: isShort ? functionFirst : near,
        contextLast: Math.min(length, isShort ? Math.max(last, end) : last),
    };
}

function rowsIn({ lines }: Profile, row: number, { first, last }: Region): number[] {
    const rows: number[] = [];
    for (let other = 0; other < lines.count; other++) {
        const isInside = lines.line[other] >= first && lines.line[other] <= last;
        if (isInside && lines.file[other] === lines.file[row]) rows.push(other);
    }
    return rows.sort((one, other) => lines.line[one] - lines.line[other]);
}

function surroundingsOf({ run, devices }: Profile): string {
    const cores = run.cores > 0 ? `${run.cores} usable core${run.cores === 1 ? "" : "s"}` : "";
    const what = [`Python ${run.python || "(unknown version)"}`, cores, ...devices.map(({ name }) => name)];
    return `It ran with: ${what.filter(Boolean).join(", ")}`;
}

function taskOf({ first, last }: Region, wish: Wish): string {
    const isOne = first === last;
    const what = isOne ? `line ${first}` : `lines ${first} to ${last}`;
    const verb = wish.aim === "time" ? "take" : "need";
    const aim = `${isOne ? `it ${verb}s` : `they ${verb}`} less ${wish.aim}`;
    return [
        `Rewrite ${what} of the code below so that ${aim}.`,
        "Prefer what the standard library and the imported libraries do natively. " +
            (wish.gpu ? "Libraries that use a GPU are allowed." : "Use no library that needs a GPU."),
        wish.instructions ? `Also: ${wish.instructions}` : "",
    ]
        .filter(Boolean)
        .join("\n");
}

function findingsIn(profile: Profile, row: number, { first, last }: Region): string[] {
    const path = profile.files[profile.lines.file[row]].path;
    const isThere = (place: { file?: string; line?: number }) =>
        place.file === path && (place.line ?? 0) >= first && (place.line ?? 0) <= last;
    return profile.findings
        .filter((finding) => finding.where.some(isThere))
        .map(({ sentence, nextStep }) => `- ${[sentence, nextStep].filter(Boolean).join(" ")}`);
}

/** The statements of the module itself, as many lines as they have. */
function importsOf(source: string[]): string[] {
    const found: string[] = [];
    let depth = 0; // of parentheses
    let isContinued = false;
    for (const line of source) {
        if (depth <= 0 && !isContinued && !/^(import|from)\s/.test(line)) continue;
        const code = line.replace(/#.*/, "");
        depth += code.split("(").length - code.split(")").length;
        isContinued = code.endsWith("\\");
        if (found.push(line) === IMPORTS_MAX) break;
    }
    return found;
}

function codeOf(source: string[], region: Region): string {
    const { first, last, functionFirst, contextFirst, contextLast } = region;
    const context = (from: number, to: number) => source.slice(from - 1, to).map(shortened);
    const isHeadApart = functionFirst > 0 && functionFirst < contextFirst;
    return [
        "The code:",
        "```python",
        ...(isHeadApart ? context(functionFirst, functionFirst) : []),
        ...(isHeadApart && functionFirst + 1 < contextFirst ? ["    # ... lines that are left out ..."] : []),
        ...context(contextFirst, first - 1),
        `# >>> the lines to rewrite begin here, with line ${first}`,
        ...source.slice(first - 1, last),
        "# <<< the lines to rewrite end here",
        ...context(last + 1, contextLast),
        "```",
    ].join("\n");
}

function shortened(line: string): string {
    return line.length > CONTEXT_LINE_MAX ? `${line.slice(0, CONTEXT_LINE_MAX)} ...` : line;
}
