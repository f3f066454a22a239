// SPDX-License-Identifier: Apache-2.0
// Tasks: what each coroutine that an event loop drove by itself computed and awaited.
import { useMemo, useState } from "preact/hooks";
import type { Place, Task } from "../model/profile";
import { count, plural, seconds, visible } from "../model/quantity";
import { openSource } from "../state/actions";
import { shown } from "../state/store";
import { Grid, type GridColumn, inOrder, nextSort } from "./grid";
import { shortPlace } from "./verdict";
import { isNarrow } from "./width";

const VALUES: Record<string, (task: Task) => number> = {
    awaited: (task) => task.awaited,
    cpu: (task) => task.cpu,
    longest: (task) => task.longest,
    steps: (task) => task.steps,
};

function columnsOf(): GridColumn[] {
    const name = { id: "name", title: "Task", width: "minmax(140px, 1fr)", isText: true };
    const awaited = {
        id: "awaited",
        title: "Awaited",
        width: "84px",
        hint: "What it waited for others",
        isSortable: true,
    };
    if (isNarrow.value) return [name, awaited];
    return [
        name,
        { id: "coroutine", title: "Coroutine", width: "minmax(140px, 1fr)", isText: true },
        { id: "place", title: "Place", width: "minmax(110px, 180px)", isText: true },
        { id: "made", title: "Made at", width: "minmax(110px, 180px)", isText: true },
        awaited,
        { id: "cpu", title: "Ran", width: "84px", hint: "The time of its steps", isSortable: true },
        {
            id: "longest",
            title: "Longest step",
            width: "100px",
            hint: "The longest that it kept others of its loop from running",
            isSortable: true,
        },
        { id: "steps", title: "Steps", width: "76px", isSortable: true },
    ];
}

export function Tasks() {
    const { tasks, tasksLeftOut } = shown.value;
    const [sort, setSort] = useState("awaited");
    const [active, setActive] = useState(-1);
    const rows = useMemo(() => inOrder(tasks, VALUES, sort), [tasks, sort]);
    const columns = columnsOf();
    return (
        <>
            <h3>Tasks of the event loops</h3>
            <Grid
                id="tasks"
                label="Tasks of the event loops"
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
                onOpen={(place) => open(rows[place].place)}
                empty="No task was followed."
            />
            {tasksLeftOut > 0 ? (
                <p class="note">and {plural(tasksLeftOut, "task")} that did and waited less</p>
            ) : null}
        </>
    );
}

function open(place: Place): void {
    if (place.file && place.line) openSource(place.file, place.line);
}

function cellsOf(task: Task): Record<string, preact.ComponentChildren> {
    return {
        name: (
            <>
                {visible(task.name || task.coroutine)}
                {task.hasEnded ? null : <span class="dim"> did not end</span>}
            </>
        ),
        coroutine: <b class="code">{visible(task.coroutine)}</b>,
        place: <PlaceLink place={task.place} />,
        made: <PlaceLink place={task.madeAt} />,
        awaited: seconds(task.awaited),
        cpu: seconds(task.cpu),
        longest: task.longest > 0 ? seconds(task.longest) : <span class="zero">–</span>,
        steps: count(task.steps),
    };
}

function PlaceLink({ place }: { place: Place }) {
    if (!place.file || !place.line) return <span class="zero">–</span>;
    return (
        <button type="button" tabIndex={-1} class="link place" onClick={() => open(place)}>
            {visible(shortPlace(place.file, place.line))}
        </button>
    );
}
