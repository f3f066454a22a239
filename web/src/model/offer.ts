// SPDX-License-Identifier: Apache-2.0
// Which lines have enough at stake that a model may be asked about them: with their region, of the whole run, whatever
// the filter shows. The server has the same rule: src/suggest/stake.c.
import type { Profile } from "./profile";
import { regionOf } from "./region";

/** Less than this share of time and memory is not worth a question. */
const LEAST_SHARE = 0.01;
const ROUNDING = 1e-9; // of differences of sums
const PARTS = ["python_s", "native_s", "system_s", "idle_s"];

const known = new WeakMap<Profile, Uint8Array>();

/** By row of the lines: 1 if it is worth asking. */
export function offersOf(profile: Profile): Uint8Array {
    const offers = known.get(profile) ?? count(profile);
    known.set(profile, offers);
    return offers;
}

/** Loops over columns, because all of a hundred thousand lines are counted before the first is shown. */
function count(profile: Profile): Uint8Array {
    const { lines, run, files } = profile;
    const order = orderOf(profile);
    const keys = new Float64Array(lines.count);
    for (let place = 0; place < lines.count; place++) keys[place] = keyOf(profile, order[place]);
    const shares = [
        runningShares(profile, order, PARTS, run.total),
        runningShares(profile, order, ["at_peak_mb"], run.peakMemory),
        runningShares(profile, order, ["allocated_mb"], run.allocated),
    ];
    const offers = new Uint8Array(lines.count);
    let [from, to] = [-1, -1]; // keys of the region of the row before, which is often that of this one
    let isWorth = 0;
    for (let row = 0; row < lines.count; row++) {
        const file = lines.file[row];
        if (files[file].sourceLines === 0) continue;
        const [first, last] = regionOf(lines, row, false);
        if (keyAt(file, first) !== from || keyAt(file, last + 1) !== to) {
            [from, to] = [keyAt(file, first), keyAt(file, last + 1)];
            isWorth =
                mostBetween(shares, placeOf(keys, from), placeOf(keys, to)) > LEAST_SHARE - ROUNDING ? 1 : 0;
        }
        offers[row] = isWorth;
    }
    return offers;
}

function mostBetween(sums: Float64Array[], from: number, to: number): number {
    let most = 0;
    for (const sum of sums) most = Math.max(most, sum[to] - sum[from]);
    return most;
}

/** Sums over the lines before each, in an order in which those of a region stand together. */
function runningShares({ lines }: Profile, order: Int32Array, names: string[], whole: number): Float64Array {
    const sums = new Float64Array(lines.count + 1);
    const columns = names.map((name) => lines.columns[name]).filter(Boolean);
    if (!(whole > 0)) return sums;
    for (const column of columns) {
        for (let place = 0; place < lines.count; place++) sums[place + 1] += column[order[place]];
    }
    for (let place = 0; place < lines.count; place++) sums[place + 1] = sums[place] + sums[place + 1] / whole;
    return sums;
}

/** The first at or after a key. */
function placeOf(keys: Float64Array, key: number): number {
    let low = 0;
    let high = keys.length;
    while (low < high) {
        const middle = (low + high) >> 1;
        if (keys[middle] < key) low = middle + 1;
        else high = middle;
    }
    return low;
}

function keyAt(file: number, line: number): number {
    return file * 2 ** 32 + line;
}

function keyOf({ lines }: Profile, row: number): number {
    return keyAt(lines.file[row], lines.line[row]);
}

/** Rows by file and line, as which they mostly stand. */
function orderOf(profile: Profile): Int32Array {
    const order = new Int32Array(profile.lines.count);
    let isInOrder = true;
    for (let row = 0; row < order.length; row++) {
        order[row] = row;
        isInOrder &&= row === 0 || keyOf(profile, row - 1) <= keyOf(profile, row);
    }
    return isInOrder ? order : order.sort((one, other) => keyOf(profile, one) - keyOf(profile, other));
}
