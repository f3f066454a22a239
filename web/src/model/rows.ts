// SPDX-License-Identifier: Apache-2.0
// The numbers of lines and functions under a filter. Without one they are the profile's own; a filter that
// chooses samples has CPU time counted anew from them. Waiting and memory are known for the whole run only.
import { type Filter, choosesSamples } from "./filter";
import { GROUPS, type Profile, type Table } from "./profile";
import { kindMatches, parseQuery } from "./search";
import { outermostStacks } from "./tree";
import { type Weights, totalsOfStacks } from "./weigh";

export interface Rows {
    table: Table;
    parts: Float64Array[]; // Python, native, system, idle
    time: Float64Array; // their sum
    error: Float64Array; // half-width of the 95 % interval of time
    wait: Float64Array; // of all threads, exact
    total: Float64Array | null; // with what was called, of functions
    whole: number; // seconds that are 100 %
    isFromSamples: boolean;
}

export const IDLE = GROUPS.length;
const NORMAL_95 = 1.96;

/** `weights` may be null where the filter chooses no samples: then nothing is counted. */
export function lineRows(profile: Profile, filter: Filter, weights: Weights | null): Rows {
    return rowsOf(profile, profile.lines, filter, weights, lineOfStack);
}

export function functionRows(profile: Profile, filter: Filter, weights: Weights | null): Rows {
    const rows = rowsOf(profile, profile.functions, filter, weights, functionOfStack);
    if (weights && profile.samples.time.length > 0) rows.total = totalsOfFunctions(profile, weights);
    return rows;
}

function rowsOf(
    profile: Profile,
    table: Table,
    filter: Filter,
    weights: Weights | null,
    rowOfStack: (profile: Profile) => Int32Array,
): Rows {
    const isFromSamples = weights !== null && choosesSamples(filter);
    const parts = isFromSamples
        ? countedAnew(table, weights, rowOfStack(profile))
        : partsOf(table).map((part, group) => (isKindShown(filter, group) ? part : part.map(() => 0)));
    const time = sumOf(parts);
    return {
        table,
        parts,
        time,
        error: isFromSamples ? errorsOfCounts(profile, time) : errorsOf(profile, table),
        wait: waitsOf(table, filter),
        total: null,
        whole: isFromSamples ? weights.shown : profile.run.total,
        isFromSamples,
    };
}

function sumOf([python, native, system, idle]: Float64Array[]): Float64Array {
    const sum = new Float64Array(python.length);
    for (let row = 0; row < sum.length; row++) sum[row] = python[row] + native[row] + system[row] + idle[row];
    return sum;
}

function isKindShown(filter: Filter, group: number): boolean {
    const wanted = [...filter.kinds, ...parseQuery(filter.search).kinds];
    const name = group === IDLE ? "wait.idle" : GROUPS[group];
    return kindMatches(wanted, name);
}

function partsOf(table: Table): Float64Array[] {
    const none = new Float64Array(table.count);
    return [...GROUPS, "idle"].map((name) => table.columns[`${name}_s`] ?? none);
}

function countedAnew(table: Table, weights: Weights, rowOfStack: Int32Array): Float64Array[] {
    const parts = [...GROUPS, "idle"].map(() => new Float64Array(table.count));
    weights.self.forEach((seconds, group) => {
        const part = parts[group];
        for (let stack = 0; stack < seconds.length; stack++) {
            const row = rowOfStack[stack];
            if (row >= 0) part[row] += seconds[stack];
        }
    });
    return parts;
}

function errorsOf(profile: Profile, table: Table): Float64Array {
    const share = table.columns.error_percent ?? new Float64Array(table.count);
    return share.map((points) => (points / 100) * profile.run.total);
}

/** n samples vary by √n, and each stands for the same time. */
function errorsOfCounts(profile: Profile, time: Float64Array): Float64Array {
    const { each } = profile.samples;
    const errors = new Float64Array(time.length);
    for (let row = 0; row < time.length; row++) errors[row] = NORMAL_95 * Math.sqrt(time[row] * each);
    return errors;
}

const waitsOfTables = new WeakMap<Table, { key: string; wait: Float64Array }>();

export function waitsOf(table: Table, filter: Filter): Float64Array {
    const wanted = [...filter.kinds, ...parseQuery(filter.search).kinds];
    const key = wanted.join(" ");
    const known = waitsOfTables.get(table);
    if (known?.key === key) return known.wait;
    const wait = new Float64Array(table.count);
    waitsOfTables.set(table, { key, wait });
    for (const [kind, seconds] of Object.entries(table.waits)) {
        if (!kindMatches(wanted, `wait.${kind}`)) continue;
        for (let row = 0; row < table.count; row++) wait[row] += seconds[row];
    }
    return wait;
}

const rowsOfTables = new WeakMap<Table, Map<number, number>>();

/** Rows by place, for what names a place instead of a row. */
export function rowIndex(table: Table): Map<number, number> {
    const known = rowsOfTables.get(table);
    if (known) return known;
    const rows = new Map<number, number>();
    rowsOfTables.set(table, rows);
    for (let row = 0; row < table.count; row++) rows.set(table.file[row] * 2 ** 26 + table.line[row], row);
    return rows;
}

export function rowAt(rows: Map<number, number>, file: number, line: number): number {
    return rows.get(file * 2 ** 26 + line) ?? -1;
}

const linesOfStacks = new WeakMap<Profile, Int32Array>();
const filesOfFunctions = new WeakMap<Profile, Int32Array>();
const rowsOfFrames = new WeakMap<Profile, Int32Array>();
const functionsOfStacks = new WeakMap<Profile, Int32Array>();

/** Per stack, the line it is charged to: the innermost one in a profiled file. */
export function lineOfStack(profile: Profile): Int32Array {
    return remembered(linesOfStacks, profile, () => {
        const rows = rowIndex(profile.lines);
        const files = fileOfFunction(profile);
        return chargedRows(profile, (frame) => {
            const file = files[profile.frames.function[frame]];
            return file < 0 ? -1 : rowAt(rows, file, profile.frames.line[frame]);
        });
    });
}

function functionOfStack(profile: Profile): Int32Array {
    return remembered(functionsOfStacks, profile, () => {
        const rows = remembered(rowsOfFrames, profile, () => functionRowOfFrames(profile));
        return chargedRows(profile, (frame) => rows[frame]);
    });
}

function remembered(known: WeakMap<Profile, Int32Array>, profile: Profile, make: () => Int32Array) {
    const rows = known.get(profile) ?? make();
    known.set(profile, rows);
    return rows;
}

function chargedRows(profile: Profile, rowOfFrame: (frame: number) => number): Int32Array {
    const { parent, frame } = profile.stacks;
    const charged = new Int32Array(parent.length);
    for (let stack = 0; stack < parent.length; stack++) {
        const row = rowOfFrame(frame[stack]);
        charged[stack] = row >= 0 ? row : parent[stack] < 0 ? -1 : charged[parent[stack]];
    }
    return charged;
}

/** Index into the profile's files of each function, -1: in none of them. */
export function fileOfFunction(profile: Profile): Int32Array {
    return remembered(filesOfFunctions, profile, () => {
        const files = new Map(profile.files.map((file, index) => [file.path, index]));
        return Int32Array.from(profile.functionNames.file, (path) => files.get(path) ?? -1);
    });
}

/** By name, else by the last function that begins before the frame's line: a comprehension's, say. */
function functionRowOfFrames(profile: Profile): Int32Array {
    const { functions, frames } = profile;
    const files = fileOfFunction(profile);
    const named = new Map<string, number>();
    const starts: number[][] = profile.files.map(() => []);
    for (let row = 0; row < functions.count; row++) {
        named.set(`${functions.file[row]}:${functions.name[row]}`, row);
        starts[functions.file[row]].push(row);
    }
    for (const rows of starts) rows.sort((one, other) => functions.line[one] - functions.line[other]);
    return frames.function.map((fn, frame) => {
        const file = files[fn];
        if (file < 0) return -1;
        const name = profile.functionNames.name[fn];
        const row = named.get(`${file}:${name}`);
        if (row !== undefined || name === "<module>") return row ?? -1;
        return lastBefore(starts[file], functions.line, frames.line[frame]);
    });
}

/** Of rows in the order of their lines, the last that begins at the line or before; -1: none does. */
function lastBefore(rows: number[], lines: Int32Array, line: number): number {
    let low = 0;
    let high = rows.length;
    while (low < high) {
        const middle = (low + high) >>> 1;
        if (lines[rows[middle]] <= line) low = middle + 1;
        else high = middle;
    }
    return low > 0 ? rows[low - 1] : -1;
}

function totalsOfFunctions(profile: Profile, weights: Weights): Float64Array {
    const self = new Float64Array(profile.stacks.parent.length);
    for (const values of weights.self)
        for (let stack = 0; stack < self.length; stack++) self[stack] += values[stack];
    const totals = totalsOfStacks(profile, self);
    const outermost = outermostStacks(profile);
    const rows = remembered(rowsOfFrames, profile, () => functionRowOfFrames(profile));
    const result = new Float64Array(profile.functions.count);
    for (let stack = 0; stack < totals.length; stack++) {
        const row = rows[profile.stacks.frame[stack]];
        if (row >= 0 && outermost[stack]) result[row] += totals[stack];
    }
    return result;
}
