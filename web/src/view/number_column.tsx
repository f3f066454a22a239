// SPDX-License-Identifier: Apache-2.0
// What a column of numbers is, and the cells that most of them are made of.
import type { ComponentChildren } from "preact";
import type { Profile } from "../model/profile";
import { megabytes, percent } from "../model/quantity";
import type { Rows } from "../model/rows";

export interface Context {
    profile: Profile;
    rows: Rows;
    unit: "s" | "%";
    largestTime: number;
}

export interface NumberColumn {
    id: string;
    title: string;
    hint: string;
    width: string;
    isUsual: boolean;
    isSpare?: boolean; // first to go where there is no room
    isText?: boolean; // stands at the left of its column
    needs?: string; // a column of the table without which there is nothing to show
    metric?: string; // key of "missing" that says why
    value: (rows: Rows, row: number) => number;
    cell: (context: Context, row: number) => ComponentChildren;
}

export const take = (name: string) => (rows: Rows, row: number) => rows.table.columns[name]?.[row] ?? 0;

export function number(value: number, text: string, dimBelow: number): ComponentChildren {
    return <span class={value <= 0 ? "zero" : value < dimBelow ? "dim" : ""}>{value <= 0 ? "–" : text}</span>;
}

export const mb = (name: string) => (context: Context, row: number) => {
    const value = take(name)(context.rows, row);
    return number(value, megabytes(value), context.profile.run.peakMemory / 100);
};

export const share = (name: string) => (context: Context, row: number) => {
    const value = take(name)(context.rows, row);
    return number(value, percent(value), 1);
};
