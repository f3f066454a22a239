// SPDX-License-Identifier: Apache-2.0
// Functions: self time, time with what they called; callers and callees stand in the side pane.
import { seconds, percent, visible } from "../model/quantity";
import { openSource, selectFunction } from "../state/actions";
import { functions, selection, shown, view } from "../state/store";
import { ColumnMenu } from "./column_choice";
import { NothingHere } from "./nothing";
import { type NamedColumn, NumberTable } from "./number_table";
import { Operators } from "./operators";
import { SortChoice } from "./sort_choice";

/** The number under which frames know the function of a row; -1: it is in no stack. */
export function frameFunction(row: number): number {
    const { functions: table, files, functionNames } = shown.value;
    const path = files[table.file[row]].path;
    const name = table.name[row];
    return functionNames.name.findIndex((other, fn) => other === name && functionNames.file[fn] === path);
}

export function rowOfFunction(fn: number): number {
    const { functions: table, files, functionNames } = shown.value;
    for (let row = 0; row < table.count; row++) {
        if (
            table.name[row] === functionNames.name[fn] &&
            files[table.file[row]].path === functionNames.file[fn]
        ) {
            return row;
        }
    }
    return -1;
}

function names(): NamedColumn[] {
    const { functions: table, files } = shown.value;
    const total = functions.value.total;
    const place = (row: number) => `${files[table.file[row]].name}:${table.line[row]}`;
    const totalColumn: NamedColumn = {
        id: "total",
        title: "With callees",
        hint: "CPU time of the function and all it called",
        width: "90px",
        isSortable: true,
        cell: (row) =>
            view.value.unit === "s"
                ? seconds(total?.[row] ?? 0)
                : percent((100 * (total?.[row] ?? 0)) / (functions.value.whole || 1)),
    };
    return [
        ...(total ? [totalColumn] : []),
        {
            id: "name",
            title: "Function",
            width: "minmax(140px, 1fr)",
            isText: true,
            cell: (row) => <b class="code">{visible(table.name[row])}</b>,
        },
        {
            id: "place",
            title: "Place",
            width: "minmax(120px, 220px)",
            isText: true,
            cell: (row) => (
                <button type="button" tabIndex={-1} class="link place" onClick={() => open(row)}>
                    {visible(place(row))}
                </button>
            ),
        },
    ];
}

function open(row: number): void {
    const { functions: table, files } = shown.value;
    openSource(files[table.file[row]].path, table.line[row]);
}

export function FunctionsPanel() {
    const rows = functions.value;
    const selected = selection.value.kind === "function" ? rowOfFunction(selection.value.row) : -1;
    const total = rows.total;
    return (
        <div class="panel-body">
            <div class="toolbar">
                <SortChoice rows={rows} more={total ? { total: "With callees" } : {}} />
                <ColumnMenu rows={rows} />
                <span class="note">self time; 100 % = {seconds(rows.whole)}</span>
            </div>
            <NumberTable
                id="functions"
                label="Functions"
                rows={rows}
                names={names()}
                active={selected}
                extraSorts={total ? { total: (row) => total[row] } : undefined}
                onActive={(row) => selectFunction(frameFunction(row))}
                onOpen={open}
                card={(row, context) => (
                    <span class="card">
                        <span class="card-top">
                            <b>{visible(rows.table.name[row])}</b>
                            <span>{seconds(context.rows.time[row])}</span>
                        </span>
                        <span class="dim">
                            {visible(shown.value.files[rows.table.file[row]].name)}:{rows.table.line[row]}
                        </span>
                    </span>
                )}
                empty={<NothingHere what="functions" />}
            />
            {shown.value.operators.length > 0 ? <Operators /> : null}
        </div>
    );
}
