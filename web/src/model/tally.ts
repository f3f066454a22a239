// SPDX-License-Identifier: Apache-2.0
// How often each stack was seen in a stretch of the samples. A stretch that overlaps the last one asked for is
// counted from it: while a brush is dragged, only the samples that come in and go out are touched. Counts are
// whole numbers, so that adding and taking away leaves nothing behind.
import type { Profile } from "./profile";

export interface Chosen {
    threads: Uint8Array; // 1: this thread's samples count
    stacks: Uint8Array | null; // 1: this stack's; null: all
    key: string; // equal for equal choices
}

interface Tally {
    key: string;
    first: number;
    last: number;
    counts: Float64Array;
}

const lastOf = new WeakMap<Profile, Tally>();

/** Counts by stack of the samples first to last - 1. The array is the tally's own: it holds until the next call. */
export function tally(profile: Profile, chosen: Chosen, first: number, last: number): Float64Array {
    const known = lastOf.get(profile);
    const isNear =
        known !== undefined &&
        known.key === chosen.key &&
        Math.abs(first - known.first) + Math.abs(last - known.last) < last - first;
    const state: Tally = isNear
        ? known
        : { key: chosen.key, first, last: first, counts: new Float64Array(profile.stacks.parent.length) };
    if (first < state.first) add(profile, chosen, state.counts, first, state.first, 1);
    if (first > state.first) add(profile, chosen, state.counts, state.first, first, -1);
    if (last > state.last) add(profile, chosen, state.counts, state.last, last, 1);
    if (last < state.last) add(profile, chosen, state.counts, last, state.last, -1);
    state.first = first;
    state.last = last;
    lastOf.set(profile, state);
    return state.counts;
}

function add(
    profile: Profile,
    chosen: Chosen,
    counts: Float64Array,
    first: number,
    last: number,
    sign: number,
): void {
    const { count, thread, stack } = profile.samples;
    const { threads, stacks } = chosen;
    for (let index = first; index < last; index++) {
        const node = stack[index];
        if (threads[thread[index]] === 0 || (stacks !== null && stacks[node] === 0)) continue;
        counts[node] += sign * count[index];
    }
}
