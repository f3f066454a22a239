// SPDX-License-Identifier: Apache-2.0
// What a question to a model is about. The server has the same rule: src/suggest/region.c.
import type { Table } from "./profile";

const LINES_MAX = 50;

/** First and last line of the innermost loop or function if they are few enough, else of the statement. */
export function regionOf({ columns, line }: Table, row: number, onlyLine: boolean): [number, number] {
    const own = line[row];
    const first = columns.region_first?.[row] || own;
    const last = columns.region_last?.[row] || own;
    if (!onlyLine && first < last && last - first < LINES_MAX) return [first, last];
    return [columns.statement_first?.[row] || own, columns.statement_last?.[row] || own];
}
