// SPDX-License-Identifier: Apache-2.0
// Which rows are shown, and in what order. Rows that chance alone may have ordered share a rank.
import type { Filter } from "./filter";
import { orderOf } from "./order";
import type { Profile } from "./profile";
import { type Rows, rowAt, rowIndex } from "./rows";
import { matches, parseQuery } from "./search";

export type SourceLine = (file: number, line: number) => string;

/** Indices of the rows that pass search and file filter and have something to show. */
export function chosenRows(
    profile: Profile,
    rows: Rows,
    filter: Filter,
    sourceLine: SourceLine,
): Uint32Array {
    const query = parseQuery(filter.search);
    const { table } = rows;
    const files = new Set(filter.files);
    const held = table.columns.peak_mb;
    const hasKinds = filter.kinds.length + query.kinds.length > 0;
    const chosen = new Uint32Array(table.count);
    let count = 0;
    for (let row = 0; row < table.count; row++) {
        const file = profile.files[table.file[row]];
        if (files.size > 0 && !files.has(file.name)) continue;
        if (
            (rows.isFromSamples || hasKinds) &&
            rows.time[row] + (rows.isFromSamples ? 0 : rows.wait[row]) <= 0
        )
            continue;
        if (query.terms.length > 0) {
            const subject = {
                text: sourceLine(table.file[row], table.line[row]),
                file: file.path,
                function: functionOfRow(profile, rows, row),
                megabytes: held?.[row] ?? 0,
            };
            if (!matches(query, subject)) continue;
        }
        chosen[count++] = row;
    }
    return chosen.subarray(0, count);
}

/** A function's own name, or that of the function around a line. */
export function functionOfRow(profile: Profile, rows: Rows, row: number): string {
    const { table } = rows;
    if (table.name.length > 0) return table.name[row];
    const first = table.columns.function_first?.[row] ?? 0;
    if (first <= 0) return "<module>";
    return profile.functions.name[rowAt(rowIndex(profile.functions), table.file[row], first)] ?? "<module>";
}

export function sorted(
    chosen: Uint32Array,
    value: (row: number) => number,
    isAscending: boolean,
): Uint32Array {
    const values = new Float64Array(chosen.length);
    for (let place = 0; place < values.length; place++) values[place] = value(chosen[place]);
    const order = orderOf(values, !isAscending);
    for (let place = 0; place < order.length; place++) order[place] = chosen[order[place]];
    return order;
}

/** The rank of each place; rows come largest first, and those whose interval overlaps that of the row above
 * share its rank. */
export function ranksOf(rows: Rows, order: Uint32Array): Uint32Array {
    const ranks = new Uint32Array(order.length);
    for (let place = 0; place < order.length; place++) {
        const row = order[place];
        const above = order[place - 1];
        const isSame =
            place > 0 &&
            rows.error[row] > 0 &&
            rows.time[row] + rows.error[row] >= rows.time[above] - rows.error[above];
        ranks[place] = isSame ? ranks[place - 1] : place + 1;
    }
    return ranks;
}

/** "2=" where a place has the rank of the one above. */
export function rankText(ranks: Uint32Array, place: number): string {
    if (place >= ranks.length) return String(place + 1);
    return ranks[place] === place + 1 ? String(place + 1) : `${ranks[place]}=`;
}
