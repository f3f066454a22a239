// SPDX-License-Identifier: Apache-2.0
// Orders a hundred thousand rows between two frames of the screen. Comparing by a function takes ten times as
// long as sorting plain numbers, so a row's number is put into the lowest bits of its value, which nobody sees.

const INDEX_BITS = 20;
const INDEX_MASK = 2 ** INDEX_BITS - 1;
export const MOST_ROWS = 2 ** INDEX_BITS;

/** Positions in `values`, smallest first, equals in their own order. Values are not negative; `isDescending`
 * turns the order of values, not that of equals. */
export function orderOf(values: Float64Array, isDescending: boolean): Uint32Array {
    const count = Math.min(values.length, MOST_ROWS);
    const keys = new Float64Array(count);
    const words = new Uint32Array(keys.buffer);
    for (let index = 0; index < count; index++) {
        keys[index] = values[index] > 0 ? values[index] : 0;
        const tag = isDescending ? INDEX_MASK - index : index;
        words[2 * index] = ((words[2 * index] & ~INDEX_MASK) | tag) >>> 0;
    }
    keys.sort();
    const order = new Uint32Array(count);
    for (let place = 0; place < count; place++) {
        const tag = words[2 * place] & INDEX_MASK;
        if (isDescending) order[count - 1 - place] = INDEX_MASK - tag;
        else order[place] = tag;
    }
    return order;
}

/** The positions of the largest few values, largest first. */
export function largest(values: Float64Array, count: number): number[] {
    const found: number[] = [];
    for (let index = 0; index < values.length; index++) {
        if (found.length === count && values[index] <= values[found[count - 1]]) continue;
        let place = found.length;
        while (place > 0 && values[found[place - 1]] < values[index]) place--;
        found.splice(place, 0, index);
        if (found.length > count) found.pop();
    }
    return found;
}
