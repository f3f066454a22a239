// SPDX-License-Identifier: Apache-2.0
// What ran when, in as many steps as the picture has pixels: CPU by kind over all threads, one lane a
// thread, and tracks of garbage collection, input and output, and the GIL by the names of native frames. These are work on
// the CPU: when threads waited is not in a profile.
import type { Filter } from "./filter";
import { GROUPS, type Profile } from "./profile";
import { lowerBound, threadsAllowed } from "./weigh";

export interface Tracks {
    start: number;
    step: number; // seconds of one bucket
    cpu: Float64Array[]; // by group: cores busy in each bucket
    lanes: Float64Array[][]; // by thread, then by group
    marks: Record<string, Uint8Array>; // 1: seen in this bucket
}

export const MARKS: Record<string, RegExp> = {
    GIL: /take_gil|drop_gil|PyEval_(Acquire|Restore)Thread|PyGILState_Ensure/,
    "I/O": /^(__GI_)?_*(libc_)?(p?(read|write)v?\d*|(recv|send)(from|to|m?msg)?|p?poll|p?select|epoll_p?wait\d*|f(data)?sync|open(at)?\d*|close|accept4?|connect)(_nocancel)?(@.*)?$|^_io_/,
    GC: /gc_collect|collect_main|visit_decref|visit_reachable|^gc\./,
};

export function tracksOf(profile: Profile, filter: Filter, span: [number, number], buckets: number): Tracks {
    const step = (span[1] - span[0]) / buckets || 1;
    const lanes = profile.threads.map(() => GROUPS.map(() => new Float64Array(buckets)));
    const seen = new Uint8Array((1 + Object.keys(MARKS).length) * buckets);
    fill(profile, threadsAllowed(profile, filter), span, step, lanes, seen);
    const marks = Object.keys(MARKS).map((name, mark) => [
        name,
        seen.subarray((mark + 1) * buckets, (mark + 2) * buckets),
    ]);
    return { start: span[0], step, cpu: sumOf(lanes, buckets), lanes, marks: Object.fromEntries(marks) };
}

/** The one pass over the samples: a million of them before anything is drawn. */
function fill(
    profile: Profile,
    isShown: Uint8Array,
    span: [number, number],
    step: number,
    lanes: Float64Array[][],
    seen: Uint8Array,
): void {
    const { time, count, each, thread, stack } = profile.samples;
    const [python, native, system] = profile.split;
    const marks = marksOfStacks(profile);
    const buckets = seen.length / (1 + Object.keys(MARKS).length);
    const last = lowerBound(time, span[1]);
    for (let index = lowerBound(time, span[0]); index < last; index++) {
        const lane = lanes[thread[index]];
        if (isShown[thread[index]] === 0) continue;
        const node = stack[index];
        const bucket = Math.min(buckets - 1, Math.floor((time[index] - span[0]) / step));
        const cores = (count[index] * each) / step;
        if (python[node] > 0) lane[0][bucket] += cores * python[node];
        if (native[node] > 0) lane[1][bucket] += cores * native[node];
        if (system[node] > 0) lane[2][bucket] += cores * system[node];
        seen[marks[node] * buckets + bucket] = 1;
    }
}

function sumOf(lanes: Float64Array[][], buckets: number): Float64Array[] {
    return GROUPS.map((_, group) => {
        const sum = new Float64Array(buckets);
        for (const lane of lanes)
            for (let bucket = 0; bucket < buckets; bucket++) sum[bucket] += lane[group][bucket];
        return sum;
    });
}

const marksOf = new WeakMap<Profile, Uint8Array>();

/** Per stack 1 + the first track that one of its innermost native frames belongs to; the GIL wins. */
function marksOfStacks(profile: Profile): Uint8Array {
    const known = marksOf.get(profile);
    if (known) return known;
    const patterns = Object.values(MARKS);
    const ofFunction = Uint8Array.from(profile.functionNames.name, (name, fn) => {
        if (!profile.functionNames.isNative[fn]) return 0;
        return patterns.findIndex((pattern) => pattern.test(name)) + 1;
    });
    const { parent, frame } = profile.stacks;
    const marks = new Uint8Array(parent.length);
    for (let stack = 0; stack < parent.length; stack++) {
        if (!profile.frames.isNative[frame[stack]]) continue;
        const own = ofFunction[profile.frames.function[frame[stack]]];
        const above = parent[stack] < 0 ? 0 : marks[parent[stack]];
        marks[stack] = own > 0 && above > 0 ? Math.min(own, above) : own || above;
    }
    marksOf.set(profile, marks);
    return marks;
}
