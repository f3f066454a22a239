// SPDX-License-Identifier: Apache-2.0
// A fixed piece of work, of the kinds that the page does. Budgets of time are of the machine that they were set on: how
// much slower this one is now, or how crowded, is what the yardstick takes here by what it took there. The page has no part
// in it, so that a slower page is still seen.

/** What `work` took on the machine of the budgets, alone on a core, in seconds of CPU time. */
export const REFERENCE_S = 0.06;

/** Self-contained, so that a browser can be given its text. */
export function work(): number {
    const size = 100_000;
    const text = JSON.stringify(Array.from({ length: size }, (_, index) => (index * 7919) % size));
    const values = JSON.parse(text) as number[];
    const sums = new Float64Array(size);
    for (let round = 0; round < 20; round++) {
        for (let index = 0; index < size; index++) sums[values[index]] += index * round;
    }
    const order = Array.from(sums.keys()).sort((one, other) => sums[one] - sums[other]);
    return order[size >> 1];
}

/** How many times slower than the machine of the budgets, at least 1, from some measures of `work`. */
export function slowness(seconds: number[]): number {
    const sorted = [...seconds].sort((one, other) => one - other);
    return Math.max(1, sorted[sorted.length >> 1] / REFERENCE_S);
}
