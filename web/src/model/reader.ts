// SPDX-License-Identifier: Apache-2.0
// Reads values of unknown shape: whatever a document holds, out comes the type that was asked for.

export type Fields = Record<string, unknown>;

export function fields(value: unknown): Fields {
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

export function list(value: unknown): unknown[] {
    return Array.isArray(value) ? value : [];
}

export function number(value: unknown, otherwise = 0): number {
    return typeof value === "number" && Number.isFinite(value) ? value : otherwise;
}

export function text(value: unknown, otherwise = ""): string {
    return typeof value === "string" ? value : otherwise;
}

/** Times that are not negative, by kind. */
export function secondsByKind(value: unknown): Record<string, number> {
    const kinds = Object.entries(fields(value)).map(([kind, seconds]) => [kind, number(seconds)] as const);
    return Object.fromEntries(kinds.filter(([, seconds]) => seconds > 0));
}

export function column(table: Fields, name: string, count: number): Float64Array {
    const values = list(table[name]) as number[];
    const result = new Float64Array(count);
    result.set(values.length > count ? values.slice(0, count) : values); // a million at once
    for (let row = 0; row < count; row++) if (!Number.isFinite(result[row])) result[row] = 0;
    return result;
}

/** Indices into something with `limit` entries; what points outside becomes `otherwise`. */
export function indices(
    table: Fields,
    name: string,
    count: number,
    limit: number,
    otherwise = 0,
): Int32Array {
    const values = list(table[name]);
    const result = new Int32Array(count).fill(otherwise);
    for (let row = 0; row < count && row < values.length; row++) {
        const value = values[row] as number;
        if ((value | 0) === value && value >= 0 && value < limit) result[row] = value;
    }
    return result;
}
