// SPDX-License-Identifier: Apache-2.0
// Operators: what the program's own trace says of them, beside what was measured.
import { useMemo, useState } from "preact/hooks";
import type { Operator } from "../model/operator";
import { count, plural, seconds, visible } from "../model/quantity";
import { openSource } from "../state/actions";
import { shown } from "../state/store";
import { Grid, type GridColumn, inOrder, nextSort } from "./grid";
import { shortPlace } from "./verdict";
import { isNarrow } from "./width";

const VALUES: Record<string, (one: Operator) => number> = {
    time: (one) => one.seconds,
    calls: (one) => one.count,
};

function columnsOf(): GridColumn[] {
    const name = { id: "name", title: "Operator", width: "minmax(140px, 1fr)", isText: true };
    const time = {
        id: "time",
        title: "Time",
        width: "84px",
        hint: "On the device that of its kernels, on the processor its own",
        isSortable: true,
    };
    if (isNarrow.value) return [name, time];
    return [
        name,
        { id: "device", title: "On", width: "56px", isText: true },
        { id: "place", title: "Called at", width: "minmax(110px, 220px)", isText: true },
        time,
        { id: "calls", title: "Calls", width: "76px", isSortable: true },
    ];
}

export function Operators() {
    const { operators, operatorsLeftOut } = shown.value;
    const [sort, setSort] = useState("time");
    const [active, setActive] = useState(-1);
    const rows = useMemo(() => inOrder(operators, VALUES, sort), [operators, sort]);
    const columns = columnsOf();
    return (
        <>
            <h3>Operators of the program's trace</h3>
            <Grid
                id="operators"
                label="Operators of the program's trace"
                columns={columns}
                count={rows.length}
                active={active}
                sort={sort}
                onSort={(column) => setSort(nextSort(sort, column))}
                cells={(place) => {
                    const cells = cellsOf(rows[place]);
                    return columns.map((column) => cells[column.id]);
                }}
                onActive={setActive}
                onOpen={(place) => open(rows[place])}
                empty="The trace has no operator."
            />
            {operatorsLeftOut > 0 ? (
                <p class="note">and {plural(operatorsLeftOut, "operator")} that took less</p>
            ) : null}
        </>
    );
}

function open({ place }: Operator): void {
    if (place.file && place.line) openSource(place.file, place.line);
}

function cellsOf(one: Operator): Record<string, preact.ComponentChildren> {
    const { file, line } = one.place;
    return {
        name: <b class="code">{visible(one.name)}</b>,
        device: one.isDevice ? "GPU" : "CPU",
        place:
            file && line ? (
                <button type="button" tabIndex={-1} class="link place" onClick={() => open(one)}>
                    {visible(shortPlace(file, line))}
                </button>
            ) : (
                <span class="zero">–</span>
            ),
        time: seconds(one.seconds),
        calls: count(one.count),
    };
}
