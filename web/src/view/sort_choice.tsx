// SPDX-License-Identifier: Apache-2.0
// Sorting without a mouse: the same as a click on a column's head.
import type { Rows } from "../model/rows";
import { go } from "../state/actions";
import { view } from "../state/store";
import { columnsShown } from "./column_choice";

export function SortChoice({ rows, more = {} }: { rows: Rows; more?: Record<string, string> }) {
    const columns = columnsShown(rows).filter((column) => column.id !== "bar" && column.id !== "share");
    const isSorted = view.value.sort !== "";
    return (
        <span class="check">
            <label>
                sort by{" "}
                <select
                    value={view.value.sort.replace(/^-/, "") || "time"}
                    onChange={(event) => go({ view: { sort: event.currentTarget.value } }, false)}
                >
                    {columns.map((column) => (
                        <option key={column.id} value={column.id}>
                            {column.title}
                        </option>
                    ))}
                    {Object.entries(more).map(([id, title]) => (
                        <option key={id} value={id}>
                            {title}
                        </option>
                    ))}
                </select>
            </label>
            {isSorted ? (
                <button type="button" class="link" onClick={() => go({ view: { sort: "" } }, false)}>
                    reset
                </button>
            ) : null}
        </span>
    );
}
