// SPDX-License-Identifier: Apache-2.0
// Which columns a table shows. The choice is remembered; what was not measured is named with its reason.
import { signal } from "@preact/signals";
import type { Rows } from "../model/rows";
import { remember, remembered } from "../state/actions";
import { shown } from "../state/store";
import type { GridColumn } from "./grid";
import { isWide, windowWidth } from "./width";
import { isMeasured, isWorthShowing, NUMBER_COLUMNS, type NumberColumn } from "./number_columns";

function readChoice(): Record<string, boolean> {
    try {
        return JSON.parse(remembered("columns", "{}")) as Record<string, boolean>;
    } catch {
        return {};
    }
}

const choice = signal<Record<string, boolean>>(readChoice());

const SIDE_PANE = 340;
const MARGINS = 50;
const NAMES = 400; // rank, place, and a line of source that can be read

/** What the window leaves for numbers beside the names of rows. */
function roomForNumbers(): number {
    return windowWidth.value - MARGINS - NAMES - (isWide.value ? SIDE_PANE : 0);
}

function pixels(column: NumberColumn): number {
    return Number(/\d+/.exec(column.width)?.[0] ?? 100);
}

/** Those that were asked for, and the usual ones as far as there is room. */
export function columnsShown(rows: Rows): NumberColumn[] {
    return fitting(
        NUMBER_COLUMNS.filter((column) => choice.value[column.id] ?? isWorthShowing(rows, column)),
    );
}

/** Without those that can be spared where there is no room for them: the source must stay in sight. */
export function fitting(columns: NumberColumn[]): NumberColumn[] {
    const shown = [...columns];
    let excess = shown.reduce((sum, column) => sum + pixels(column), 0) - roomForNumbers();
    for (const column of columns.filter((item) => item.isSpare && !choice.value[item.id]).reverse()) {
        if (excess <= 0) break;
        shown.splice(shown.indexOf(column), 1);
        excess -= pixels(column);
    }
    return shown;
}

export function gridColumn(rows: Rows, column: NumberColumn): GridColumn {
    const why = isMeasured(rows, column)
        ? ""
        : (shown.value.run.missing[column.metric ?? ""] ?? "not measured");
    const title = why ? (
        <span class="dim">
            {column.title} <small>(not measured)</small>
        </span>
    ) : (
        column.title
    );
    const { id, width, isText } = column;
    return { id, title, width, isText, hint: why || column.hint, isSortable: true };
}

export function ColumnMenu({ rows }: { rows: Rows }) {
    const set = (id: string, isOn: boolean) => {
        choice.value = { ...choice.value, [id]: isOn };
        remember("columns", JSON.stringify(choice.value));
    };
    const usual = () => {
        choice.value = {};
        remember("columns", "{}");
    };
    const on = new Set(columnsShown(rows).map((column) => column.id));
    return (
        <details class="menu">
            <summary>Columns</summary>
            <div class="menu-body">
                {NUMBER_COLUMNS.map((column) => (
                    <label key={column.id} title={column.hint}>
                        <input
                            type="checkbox"
                            checked={on.has(column.id)}
                            onChange={(event) => set(column.id, event.currentTarget.checked)}
                        />
                        {column.title}
                        {isMeasured(rows, column) ? null : (
                            <small class="dim">
                                {" "}
                                {shown.value.run.missing[column.metric ?? ""] ?? "not measured"}
                            </small>
                        )}
                    </label>
                ))}
                <button type="button" onClick={usual}>
                    The usual ones
                </button>
            </div>
        </details>
    );
}
