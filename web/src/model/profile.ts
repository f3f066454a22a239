// SPDX-License-Identifier: Apache-2.0
// A profile as the page holds it: columns of numbers, no object a row. Seconds and megabytes throughout.
import type { Device } from "./device";
import type { Operator } from "./operator";

/** Kinds of CPU time, in the order of every stacked bar. */
export const GROUPS = ["python", "native", "system"] as const;
export const WAITS = ["gil", "lock", "sleep", "disk", "network", "pipe", "child", "gpu", "other"] as const;

export interface Frames {
    line: Int32Array; // 0: unknown
    isNative: Uint8Array;
    isMine: Uint8Array; // in a file that is profiled
    function: Int32Array; // frames of one function share a number
}

/** Functions as frames know them: what a flame graph shows as one box. */
export interface FunctionNames {
    name: string[];
    file: string[];
    isNative: Uint8Array;
    isMine: Uint8Array;
}

/** A prefix tree: a stack is its last node; parents stand before children. */
export interface Stacks {
    parent: Int32Array; // -1: outermost
    frame: Int32Array;
}

/** In the order of time; a sample's kind is divided as its stack's seconds are. */
export interface Samples {
    time: Float64Array;
    count: Float64Array; // whole numbers: sums of them are exact, in any order
    each: number; // seconds that one count stands for
    thread: Uint16Array;
    stack: Int32Array;
}

/** Lines or functions: a row has a place, a name, and a number in each column that was measured. */
export interface Table {
    count: number;
    file: Int32Array; // index into files
    line: Int32Array;
    name: string[]; // of the function; of a line: the function around it
    columns: Record<string, Float64Array>;
    waits: Record<string, Float64Array>;
    seriesStart: Int32Array; // points of this row in the profile's series
    seriesCount: Int32Array;
}

export interface SourceFile {
    path: string;
    name: string; // as short as it stays unique
    seconds: number; // CPU and idle
    isMine: boolean;
    sourceLines: number; // 0: there is no source text
}

export interface Thread {
    pid: number;
    id: string;
    name: string; // tells it apart from all others
    plainName: string; // as the program calls it
    isMain: boolean;
    isIdle: boolean;
    start: number;
    end: number;
    cpu: [number, number, number];
    waits: Record<string, number>;
}

/** A coroutine that an event loop drove by itself. */
export interface Task {
    name: string;
    coroutine: string;
    place: Place; // where the coroutine is defined
    madeAt: Place;
    pid: number;
    cpu: number;
    awaited: number;
    longest: number; // stretch in which it kept others of its loop from running
    steps: number;
    hasEnded: boolean;
}

export interface Process {
    pid: number;
    parent: number;
    command: string;
    python: string;
    start: number;
    end: number;
    ended: string;
    cpu: number;
    peakMemory: number;
    whyNot: string;
}

export interface Evidence {
    label: string;
    value: number;
    unit: string;
    error: number; // NaN: exact
}

export interface Place {
    file?: string;
    line?: number;
    function?: string;
    thread?: string;
}

export interface Finding {
    id: string;
    severity: string;
    sentence: string;
    evidence: Evidence[];
    where: Place[];
    howMeasured: string;
    nextStep: string;
}

export interface Run {
    program: string;
    command: string;
    elapsed: number;
    cpu: [number, number, number];
    idle: number;
    ready: number;
    total: number; // CPU and idle: what 100 % is
    span: [number, number]; // first and last moment of the run
    waits: Record<string, number>;
    ended: string;
    isRunning: boolean;
    peakMemory: number;
    peakPythonFraction: number;
    peakPlace: Place | null;
    endMemory: number; // NaN: unknown
    growthPercent: number;
    copied: number;
    allocated: number; // volume
    python: string; // its version
    cores: number; // that the program could use; 0: not known
    versions: string;
    quality: Record<string, number>;
    notes: string[];
    verdict: { time: string; memory: string; receipt: string };
    hasMemory: boolean;
    missing: Record<string, string>; // metric -> why it was not measured
    madeBy: string; // "" for our own profiles
    directory: string;
}

export interface Profile {
    run: Run;
    files: SourceFile[];
    filesLeftOut: { count: number; percent: number; mb: number };
    frames: Frames;
    functionNames: FunctionNames;
    stacks: Stacks;
    split: Float32Array[]; // Python, native, system share of each stack: they add up to 1
    samples: Samples;
    lines: Table;
    functions: Table;
    memoryStacks: { stack: Int32Array; allocated: Float64Array };
    series: { time: Float64Array; mb: Float64Array };
    footprint: { time: Float64Array; mb: Float64Array };
    threads: Thread[];
    processes: Process[];
    devices: Device[];
    tasks: Task[];
    tasksLeftOut: number;
    operators: Operator[];
    operatorsLeftOut: number;
    findings: Finding[];
    findingsLeftOut: number;
}

/** The shortest ends of paths that still tell them apart. */
export function shortNames(paths: string[]): string[] {
    const parts = paths.map((path) => path.split("/").filter(Boolean));
    const take = paths.map(() => 1);
    const nameOf = (index: number) => parts[index].slice(-take[index]).join("/") || paths[index];
    for (let round = 0; round < 40; round++) {
        const seen = new Map<string, number[]>();
        paths.forEach((_, index) => seen.set(nameOf(index), [...(seen.get(nameOf(index)) ?? []), index]));
        const clashes = [...seen.values()].filter((same) => same.length > 1).flat();
        const growing = clashes.filter((index) => take[index] < parts[index].length);
        if (growing.length === 0) break;
        for (const index of growing) take[index]++;
    }
    return paths.map((_, index) => nameOf(index));
}
