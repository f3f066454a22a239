// SPDX-License-Identifier: Apache-2.0
// Who calls what: the chains that lead to a line, and a function's callers and callees.
import type { Profile } from "./profile";
import { fileOfFunction, lineOfStack } from "./rows";
import { outermostStacks } from "./tree";
import { totalsOfStacks, type Weights } from "./weigh";

export interface Chain {
    frames: string[]; // "function file:line", outermost first
    seconds: number;
}

function selfSum(weights: Weights): Float64Array {
    const sum = new Float64Array(weights.self[0].length);
    for (const values of weights.self)
        for (let stack = 0; stack < sum.length; stack++) sum[stack] += values[stack];
    return sum;
}

/** The heaviest ways to a line, given by its row, through the frames of profiled files. */
export function chainsTo(profile: Profile, weights: Weights, row: number, most = 5): Chain[] {
    const files = fileOfFunction(profile);
    const charged = lineOfStack(profile);
    const [python, native, system] = weights.self;
    const sums = new Map<string, Chain>();
    for (let stack = 0; stack < charged.length; stack++) {
        if (charged[stack] !== row) continue;
        const seconds = python[stack] + native[stack] + system[stack];
        if (seconds <= 0) continue;
        const frames = framesOf(profile, files, stack);
        const key = frames.join("\n");
        const known = sums.get(key) ?? { frames, seconds: 0 };
        known.seconds += seconds;
        sums.set(key, known);
    }
    return [...sums.values()].sort((one, other) => other.seconds - one.seconds).slice(0, most);
}

function framesOf(profile: Profile, files: Int32Array, stack: number): string[] {
    const { parent, frame } = profile.stacks;
    const names: string[] = [];
    for (let at = stack; at >= 0; at = parent[at]) {
        const fn = profile.frames.function[frame[at]];
        if (files[fn] < 0) continue;
        const place = `${profile.files[files[fn]].name}:${profile.frames.line[frame[at]]}`;
        names.push(`${profile.functionNames.name[fn]} ${place}`);
    }
    return names.reverse();
}

export interface Neighbour {
    function: number;
    seconds: number;
}

export function neighboursOf(profile: Profile, weights: Weights, fn: number) {
    const { parent, frame } = profile.stacks;
    const { function: functions } = profile.frames;
    const totals = totalsOfStacks(profile, selfSum(weights));
    const outermost = outermostStacks(profile);
    const callers = new Map<number, number>();
    const callees = new Map<number, number>();
    let total = 0;
    for (let stack = 0; stack < parent.length; stack++) {
        if (totals[stack] <= 0) continue;
        const own = functions[frame[stack]];
        const above = parent[stack] < 0 ? -1 : functions[frame[parent[stack]]];
        if (own === fn && outermost[stack]) {
            total += totals[stack];
            callers.set(above, (callers.get(above) ?? 0) + totals[stack]);
        }
        if (above === fn && own !== fn) callees.set(own, (callees.get(own) ?? 0) + totals[stack]);
    }
    return { total, callers: ranked(callers), callees: ranked(callees) };
}

function ranked(sums: Map<number, number>): Neighbour[] {
    const list = [...sums].map(([fn, seconds]) => ({ function: fn, seconds }));
    return list.sort((one, other) => other.seconds - one.seconds).slice(0, 8);
}
