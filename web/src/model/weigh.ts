// SPDX-License-Identifier: Apache-2.0
// What the filter leaves of the samples: seconds per stack and kind. One pass over the samples, one
// back up the prefix tree; no recursion, however deep the stacks are.
import type { Filter } from "./filter";
import { functionId } from "./function_id";
import { GROUPS, type Profile, type Thread } from "./profile";
import { kindMatches, parseQuery, threadMatches } from "./search";
import { tally } from "./tally";

export interface Weights {
    self: Float64Array[]; // by group, then by stack
    byGroup: number[];
    shown: number; // seconds that pass the filter
    all: number; // seconds of all samples
}

/** First index whose time is not before the moment. */
export function lowerBound(times: Float64Array, moment: number): number {
    let low = 0;
    let high = times.length;
    while (low < high) {
        const middle = (low + high) >>> 1;
        if (times[middle] < moment) low = middle + 1;
        else high = middle;
    }
    return low;
}

/** Per stack: does it pass "below this function" and "without these functions"? */
function stacksAllowed(profile: Profile, filter: Filter): Uint8Array | null {
    if (!filter.root && filter.hidden.length === 0) return null;
    const { parent, frame } = profile.stacks;
    const isRoot = flagFunctions(profile, filter.root ? [filter.root] : []);
    const isHidden = flagFunctions(profile, filter.hidden);
    const state = new Uint8Array(parent.length); // 1: below the root, 2: hidden
    for (let stack = 0; stack < parent.length; stack++) {
        const fn = profile.frames.function[frame[stack]];
        const above = parent[stack] < 0 ? (filter.root ? 0 : 1) : state[parent[stack]];
        state[stack] = above | isRoot[fn] | (isHidden[fn] << 1);
    }
    return state.map((bits) => (bits === 1 ? 1 : 0));
}

/** Which functions carry one of these ids. */
export function flagFunctions(profile: Profile, ids: string[]): Uint8Array {
    const flags = new Uint8Array(profile.functionNames.name.length);
    if (ids.length === 0) return flags;
    const wanted = new Set(ids);
    for (let fn = 0; fn < flags.length; fn++) flags[fn] = wanted.has(functionId(profile, fn)) ? 1 : 0;
    return flags;
}

export function isThreadChosen({ threads }: Filter, { name, plainName }: Thread): boolean {
    return threads.length === 0 || threads.includes(name) || threads.includes(plainName);
}

export function isProcessChosen({ processes }: Filter, pid: number): boolean {
    return processes.length === 0 || processes.includes(String(pid));
}

/** Threads of the profile that the filter lets through, by index. */
export function threadsAllowed(profile: Profile, filter: Filter): Uint8Array {
    const query = parseQuery(filter.search);
    return Uint8Array.from(profile.threads, (thread) =>
        isThreadChosen(filter, thread) &&
        isProcessChosen(filter, thread.pid) &&
        threadMatches(query, thread.name)
            ? 1
            : 0,
    );
}

/** Which of Python, native and system the filter lets through. */
export function groupsAllowed(filter: Filter): number[] {
    const wanted = [...filter.kinds, ...parseQuery(filter.search).kinds];
    return GROUPS.map((group) => (kindMatches(wanted, group) ? 1 : 0));
}

export function weigh(profile: Profile, filter: Filter): Weights {
    const { time } = profile.samples;
    const first = filter.time ? lowerBound(time, filter.time[0]) : 0;
    const last = filter.time ? lowerBound(time, filter.time[1]) : time.length;
    const threads = threadsAllowed(profile, filter);
    const chosen = {
        threads,
        stacks: stacksAllowed(profile, filter),
        key: JSON.stringify([threads.join(""), filter.root, filter.hidden]),
    };
    return divided(profile, filter, tally(profile, chosen, first, Math.max(first, last)));
}

/** Divides each stack's time into its kinds, and keeps those the filter wants. */
function divided(profile: Profile, filter: Filter, counts: Float64Array): Weights {
    const { each } = profile.samples;
    const allowed = groupsAllowed(filter);
    const self = GROUPS.map(() => new Float64Array(counts.length));
    const byGroup = GROUPS.map(() => 0);
    for (let group = 0; group < GROUPS.length; group++) {
        if (!allowed[group]) continue;
        const share = profile.split[group];
        const values = self[group];
        let all = 0;
        for (let stack = 0; stack < counts.length; stack++) {
            const value = counts[stack] * each * share[stack];
            values[stack] = value;
            all += value;
        }
        byGroup[group] = all;
    }
    return { self, byGroup, shown: byGroup[0] + byGroup[1] + byGroup[2], all: secondsOf(profile) };
}

const allSeconds = new WeakMap<Profile, number>();

function secondsOf(profile: Profile): number {
    const known = allSeconds.get(profile) ?? sum(profile.samples.count) * profile.samples.each;
    allSeconds.set(profile, known);
    return known;
}

export function sum(values: Float64Array): number {
    let total = 0;
    for (let index = 0; index < values.length; index++) total += values[index];
    return total;
}

/** Adds each stack's seconds to those of the stacks it is called from. */
export function totalsOfStacks(profile: Profile, self: Float64Array): Float64Array {
    const total = new Float64Array(self);
    const { parent } = profile.stacks;
    for (let stack = parent.length - 1; stack >= 0; stack--) {
        if (parent[stack] >= 0) total[parent[stack]] += total[stack];
    }
    return total;
}
