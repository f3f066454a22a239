// SPDX-License-Identifier: Apache-2.0
// More samples than a picture has pixels: each step of time shows the stack that took most of it, found from
// the outside in, so that the box of a function is there if it was the heaviest of its callers' callees.
import type { Profile } from "./profile";

export interface Moment {
    start: number;
    length: number;
    seconds: number; // of CPU time
    stack: number;
}

/** Samples as moments, in `steps` steps of `range` if there are more than two a step. */
export function momentsOf(
    profile: Profile,
    samples: Int32Array,
    range: [number, number],
    steps: number,
): Moment[] {
    const { time, count, each, stack } = profile.samples;
    if (samples.length <= 2 * steps) {
        return Array.from(samples, (index) => {
            const seconds = count[index] * each;
            return { start: time[index], length: seconds, seconds, stack: stack[index] };
        });
    }
    const length = (range[1] - range[0]) / steps;
    const heaviest = new HeaviestPath(profile);
    const moments: Moment[] = [];
    for (let first = 0; first < samples.length;) {
        const step = Math.floor((time[samples[first]] - range[0]) / length);
        const start = range[0] + step * length;
        let end = first;
        for (; end < samples.length && (end === first || time[samples[end]] < start + length); end++) {
            heaviest.add(stack[samples[end]], count[samples[end]]);
        }
        const { total, stack: last } = heaviest.take();
        moments.push({ start, length, seconds: total * each, stack: last });
        first = end;
    }
    return moments;
}

/** Adds stacks up, and finds the path along which each node is the heaviest of its parent's. */
class HeaviestPath {
    private readonly self: Float64Array;
    private readonly total: Float64Array;
    private readonly best: Int32Array; // child of a node; of the roots: in `bestRoot`
    private bestRoot = -1;
    private touched: number[] = [];

    constructor(private readonly profile: Profile) {
        const count = profile.stacks.parent.length;
        this.self = new Float64Array(count);
        this.total = new Float64Array(count);
        this.best = new Int32Array(count).fill(-1);
    }

    add(stack: number, weight: number): void {
        const { parent } = this.profile.stacks;
        this.self[stack] += weight;
        for (let at = stack; at >= 0; at = parent[at]) {
            if (this.total[at] === 0) this.touched.push(at);
            this.total[at] += weight;
        }
    }

    /** The last node of the path, and all that was added; afterwards nothing is. */
    take(): { stack: number; total: number } {
        const { parent } = this.profile.stacks;
        let total = 0;
        for (const node of this.touched) {
            total += this.self[node];
            const rival = parent[node] < 0 ? this.bestRoot : this.best[parent[node]];
            if (rival >= 0 && this.total[rival] >= this.total[node]) continue;
            if (parent[node] < 0) this.bestRoot = node;
            else this.best[parent[node]] = node;
        }
        let stack = this.bestRoot;
        while (this.best[stack] >= 0 && this.total[this.best[stack]] >= this.self[stack])
            stack = this.best[stack];
        this.forget();
        return { stack, total };
    }

    private forget(): void {
        for (const node of this.touched) {
            this.self[node] = 0;
            this.total[node] = 0;
            this.best[node] = -1;
        }
        this.touched = [];
        this.bestRoot = -1;
    }
}
