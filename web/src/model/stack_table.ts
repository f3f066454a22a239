// SPDX-License-Identifier: Apache-2.0
// The stacks of a profile's JSON as one prefix tree, for convert.ts.
import { type Fields, fields, list, number, text } from "./reader";

export class Strings {
    all: string[] = [""];
    private known = new Map<string, number>([["", 0]]);

    index(value: string): number {
        let index = this.known.get(value);
        if (index === undefined) {
            index = this.all.push(value) - 1;
            this.known.set(value, index);
        }
        return index;
    }
}

const MOST_DEPTH = 5000;

export class StackTable {
    private frames = {
        name: [] as number[],
        file: [] as number[],
        line: [] as number[],
        kind: [] as number[],
        is_mine: [] as number[],
    };
    private stacks = { parent: [] as number[], frame: [] as number[] };
    private knownFrames = new Map<string, number>();
    private knownStacks = new Map<string, number>();

    constructor(
        private strings: Strings,
        private mine: Set<string>,
    ) {}

    tablesOf(profile: Fields, threads: Fields[], cpu: number): Fields {
        const combined = list(profile.combined_stacks).map((entry) => this.add(list(list(entry)[0])));
        const hits = list(profile.combined_stacks).map((entry) => number(list(entry)[1]));
        const memory = list(profile.memory_stacks).map((entry) => list(entry));
        const memoryStacks = {
            stack: memory.map((entry) => this.add(list(entry[0]))),
            allocated_mb: memory.map((entry) => number(entry[1])),
        };
        return {
            samples: samplesOf(profile, threads, combined, cpu),
            stack_times: { stack: combined, hits, ...kindsOf(profile) },
            memory_stacks: memoryStacks,
            frames: this.frames,
            stacks: this.stacks,
        };
    }

    /** The node of a stack, outermost frame first; 0 of an empty one. */
    private add(stack: unknown[]): number {
        let node = -1;
        for (const item of stack.slice(0, MOST_DEPTH)) {
            const frame = this.frame(fields(item));
            const key = `${node}:${frame}`;
            let next = this.knownStacks.get(key);
            if (next === undefined) {
                next = this.stacks.parent.push(node) - 1;
                this.stacks.frame.push(frame);
                this.knownStacks.set(key, next);
            }
            node = next;
        }
        return Math.max(node, 0);
    }

    private frame(item: Fields): number {
        const file = text(item.filename_or_module);
        const line = number(item.line);
        const isNative = item.kind === "native" ? 1 : 0;
        const key = `${isNative}\0${text(item.display_name)}\0${file}\0${line}`;
        let index = this.knownFrames.get(key);
        if (index === undefined) {
            index = this.frames.name.push(this.strings.index(text(item.display_name))) - 1;
            this.frames.file.push(this.strings.index(file));
            this.frames.line.push(line);
            this.frames.kind.push(isNative);
            this.frames.is_mine.push(this.mine.has(file) ? 1 : 0);
            this.knownFrames.set(key, index);
        }
        return index;
    }
}

/** Ours divides the time of each stack; of the original's the innermost frame tells the kind. */
function kindsOf(profile: Fields): Fields {
    const times = list(profile.combined_stacks_s).map(list);
    if (times.length === 0) return {};
    const part = (index: number) => times.map((time) => number(time[index]));
    return { python_s: part(0), native_s: part(1), system_s: part(2) };
}

function samplesOf(profile: Fields, threads: Fields[], combined: number[], cpu: number): Fields {
    const runs = list(profile.combined_stacks_timeline).map(fields);
    runs.sort((one, other) => number(one.t_sec) - number(other.t_sec));
    const threadIndex = new Map<string, number>(); // of threads with one identifier the first, as in C
    threads.forEach(({ id }, index) => {
        if (!threadIndex.has(String(id))) threadIndex.set(String(id), index);
    });
    const counts = runs.map((run) => number(run.count, 1));
    const all = counts.reduce((sum, count) => sum + count, 0);
    let before = 0;
    const differences = runs.map((run) => {
        const now = Math.round(number(run.t_sec) * 1e6);
        const difference = now - before;
        before = now;
        return difference;
    });
    return {
        t_us: differences,
        thread: runs.map((run) => threadIndex.get(String(run.thread_id)) ?? 0),
        stack: runs.map((run) => combined[number(run.stack_index)] ?? 0),
        count: counts,
        weight_s: all > 0 ? cpu / all : 0,
        ...("combined_stacks_start_s" in profile ? { first_s: number(profile.combined_stacks_start_s) } : {}),
    };
}
