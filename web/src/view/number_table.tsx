// SPDX-License-Identifier: Apache-2.0
// Lines or functions as a ranked table: the two differ only in how a row is named.
import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { chosenRows, rankText, ranksOf, sorted } from "../model/ranking";
import type { Rows } from "../model/rows";
import { sourceLine } from "../state/sources";
import { filter, shown, view } from "../state/store";
import { go } from "../state/actions";
import { columnsShown, fitting, gridColumn } from "./column_choice";
import { Grid, type GridColumn, nextSort } from "./grid";
import { type Context, NUMBER_COLUMNS, type NumberColumn } from "./number_columns";
import { isNarrow } from "./width";

export interface NamedColumn extends GridColumn {
    cell: (row: number) => ComponentChildren;
}

export interface NumberTableProps {
    id: string;
    label: string;
    rows: Rows;
    names: NamedColumn[];
    only?: string[]; // ids of columns, instead of those chosen in the menu
    sortedBy?: string; // the column when none was clicked
    keep?: (row: number) => boolean;
    active: number; // row
    groupByFile?: boolean;
    limit?: number;
    onActive: (row: number) => void;
    onOpen: (row: number) => void;
    onRows?: (rows: number[]) => void;
    card: (row: number, context: Context) => ComponentChildren;
    extraSorts?: Record<string, (row: number) => number>;
    empty: ComponentChildren;
}

const CARD_HEIGHT = 58;

export function NumberTable(props: NumberTableProps) {
    const { rows } = props;
    const sort = view.value.sort || props.sortedBy || "time";
    const order = useMemo(
        () => orderOf(props, sort),
        [rows, sort, filter.value, props.keep, props.groupByFile],
    );
    const ranks = useMemo(
        () => (sort === "time" && !props.groupByFile ? ranksOf(rows, order) : new Uint32Array(0)),
        [order],
    );
    const largestTime = useMemo(() => largestOf(rows.time, order), [order]);
    const active = useMemo(() => order.indexOf(props.active), [order, props.active]);
    const columns = props.only
        ? fitting(props.only.flatMap((id) => NUMBER_COLUMNS.filter((column) => column.id === id)))
        : columnsShown(rows);
    const context: Context = {
        profile: shown.value,
        rows,
        unit: view.value.unit,
        largestTime,
    };
    const shape = isNarrow.value
        ? cards(props, context, order)
        : tracks(props, context, order, columns, ranks);
    return (
        <Grid
            id={props.id}
            label={props.label}
            {...shape}
            count={order.length}
            active={active}
            sort={sort}
            onSort={(column) => go({ view: { sort: nextSort(sort, column) } }, false)}
            onActive={(place) => props.onActive(order[place])}
            onOpen={(place) => props.onOpen(order[place])}
            onRange={(first, last) => props.onRows?.(Array.from(order.subarray(first, last)))}
            empty={props.empty}
        />
    );
}

function largestOf(values: Float64Array, order: Uint32Array): number {
    let most = 0;
    for (let place = 0; place < order.length; place++) most = Math.max(most, values[order[place]]);
    return most;
}

function tracks(
    props: NumberTableProps,
    context: Context,
    order: Uint32Array,
    columns: NumberColumn[],
    ranks: Uint32Array,
) {
    const rank: GridColumn = {
        id: "rank",
        title: "#",
        width: "38px",
        hint: "Rank; = when chance alone may have ordered it",
    };
    const cells = (place: number) => [
        <span class="dim">{rankText(ranks, place)}</span>,
        ...columns.map((column) => column.cell(context, order[place])),
        ...props.names.map((name) => name.cell(order[place])),
    ];
    return {
        columns: [rank, ...columns.map((column) => gridColumn(props.rows, column)), ...props.names],
        cells,
    };
}

function cards(props: NumberTableProps, context: Context, order: Uint32Array) {
    const column: GridColumn = { id: "card", title: props.label, width: "1fr", isText: true };
    return {
        columns: [column],
        cells: (place: number) => [props.card(order[place], context)],
        rowHeight: CARD_HEIGHT,
    };
}

function orderOf(props: NumberTableProps, sort: string): Uint32Array {
    const { rows } = props;
    const id = sort.replace(/^-/, "");
    const column = NUMBER_COLUMNS.find((item) => item.id === id);
    const extra = props.extraSorts?.[id];
    const value = extra ?? ((row: number) => (column ?? NUMBER_COLUMNS[1]).value(rows, row));
    let chosen = chosenRows(shown.value, rows, filter.value, sourceLine);
    if (props.keep) chosen = chosen.filter(props.keep);
    let order = sorted(chosen, value, sort.startsWith("-"));
    if (props.groupByFile) order = order.sort((one, other) => rows.table.file[one] - rows.table.file[other]);
    return props.limit ? order.subarray(0, props.limit) : order;
}
