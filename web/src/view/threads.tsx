// SPDX-License-Identifier: Apache-2.0
// Threads & processes: the tree of processes, each with its threads, what they ran and what they waited for.
import { useMemo, useState } from "preact/hooks";
import type { Process, Profile, Thread } from "../model/profile";
import { megabytes, moment, plural, seconds, visible, waitName } from "../model/quantity";
import { withoutSamples } from "../model/thread_names";
import { isThreadChosen } from "../model/weigh";
import { go, toggleProcess, toggleThread } from "../state/actions";
import { filter, selection, shown } from "../state/store";
import { TimeBar } from "./bar";
import { Grid, type GridColumn } from "./grid";
import { Tasks } from "./tasks";
import { isNarrow } from "./width";

interface Row {
    depth: number;
    process?: Process;
    thread?: Thread;
    index: number; // of the thread
}

/** Processes below their parents, threads below their process; the busiest thread first. */
function rowsOf(profile: Profile, showIdle: boolean): Row[] {
    const rows: Row[] = [];
    const pids = new Set(profile.processes.map((process) => process.pid));
    const seen = new Set<number>();
    const roots = profile.processes.filter((process) => !pids.has(process.parent));
    const todo = roots.map((process) => ({ process, depth: 0 })).reverse();
    while (todo.length > 0) {
        const { process, depth } = todo.pop() as { process: Process; depth: number };
        if (seen.has(process.pid)) continue;
        seen.add(process.pid);
        rows.push({ depth, process, index: -1 });
        rows.push(...threadRows(profile, process.pid, depth + 1, showIdle));
        const children = profile.processes.filter((other) => other.parent === process.pid);
        todo.push(...children.map((child) => ({ process: child, depth: depth + 1 })).reverse());
    }
    const homeless = profile.threads.some((thread) => !seen.has(thread.pid));
    return homeless ? [...rows, ...threadRows(profile, null, 0, showIdle, seen)] : rows;
}

function threadRows(
    profile: Profile,
    pid: number | null,
    depth: number,
    showIdle: boolean,
    seen?: Set<number>,
): Row[] {
    const cpu = (thread: Thread) => thread.cpu[0] + thread.cpu[1] + thread.cpu[2];
    return profile.threads
        .map((thread, index) => ({ depth, thread, index }))
        .filter(({ thread }) => (pid === null ? !seen?.has(thread.pid) : thread.pid === pid))
        .filter(({ thread }) => showIdle || !thread.isIdle)
        .sort((one, other) => cpu(other.thread) - cpu(one.thread));
}

function columnsOf(kinds: string[]): GridColumn[] {
    if (isNarrow.value)
        return [
            { id: "name", title: "Process, thread", width: "1fr", isText: true },
            { id: "cpu", title: "CPU", width: "72px" },
            { id: "waited", title: "Waited", width: "72px" },
        ];
    return [
        { id: "name", title: "Process, thread", width: "minmax(180px, 1fr)", isText: true },
        { id: "lane", title: "Lived", width: "minmax(90px, 160px)", isText: true },
        { id: "bar", title: "CPU by kind", width: "minmax(90px, 160px)", isText: true },
        { id: "cpu", title: "CPU", width: "80px" },
        ...kinds.map((kind) => ({ id: `wait-${kind}`, title: `waits: ${waitName(kind)}`, width: "94px" })),
        { id: "memory", title: "Peak memory", width: "96px" },
    ];
}

export function ThreadsPanel() {
    const profile = shown.value;
    const showIdle = filter.value.showIdle;
    const rows = useMemo(() => rowsOf(profile, showIdle), [profile, showIdle]);
    const idle = profile.threads.filter((thread) => thread.isIdle);
    const shadowed = useMemo(() => withoutSamples(profile.threads), [profile]);
    const kinds = Object.entries(profile.run.waits)
        .sort((one, other) => other[1] - one[1])
        .map(([kind]) => kind);
    const columns = columnsOf(kinds.slice(0, 6));
    const largest = profile.threads.reduce((most, { cpu }) => Math.max(most, cpu[0] + cpu[1] + cpu[2]), 1e-9);
    const [place, setPlace] = useState(-1); // a process has no details, but the arrows pass over it
    const isThread = selection.value.kind === "thread" && rows[place]?.index !== selection.value.row;
    const selected = isThread ? rows.findIndex((row) => row.index === selection.value.row) : -1;
    const active = selected >= 0 && !rows[place]?.process ? selected : place;
    return (
        <div class="panel-body">
            <div class="toolbar">
                <span class="note">
                    Waiting is measured, not sampled (for a GPU that is asked again and again it is). Enter or
                    a click on a name filters by the thread or the process.
                </span>
                {idle.length > 0 ? (
                    <button
                        type="button"
                        aria-pressed={showIdle}
                        onClick={() => go({ filter: { showIdle: !showIdle } })}
                    >
                        {showIdle ? "hide" : "show"} {plural(idle.length, "idle thread")}
                    </button>
                ) : null}
            </div>
            <Grid
                id="threads"
                role="treegrid"
                label="Threads and processes"
                columns={columns}
                count={rows.length}
                active={active}
                rowAttributes={(place) => ({ "aria-level": rows[place].depth + 1 })}
                rowClass={(place) => (rows[place].process ? "is-process" : "")}
                cells={(place) => {
                    const cells = cellsOf(rows[place], largest);
                    return columns.map((column) => cells[column.id] ?? blank(rows[place], column.id));
                }}
                onActive={(chosen) => {
                    setPlace(chosen);
                    if (rows[chosen].index >= 0)
                        selection.value = { kind: "thread", row: rows[chosen].index };
                }}
                onOpen={(place) => {
                    const { process, thread } = rows[place];
                    if (thread) toggleThread(thread.name);
                    if (process) toggleProcess(process.pid);
                }}
                empty={profile.run.missing.threads ?? "This profile names no threads."}
            />
            {shadowed.length > 0 ? (
                <p class="note">
                    {visible(shadowed.map(({ name }) => name).join(", "), 200)}: the identifier is also that
                    of a thread of another process, which has the samples of both. CPU time and waiting in
                    this table are its own.
                </p>
            ) : null}
            {profile.tasks.length > 0 ? <Tasks /> : null}
        </div>
    );
}

/** A thread that did not wait for something says so; what a row cannot have is left empty. */
function blank(row: Row, column: string): preact.ComponentChildren {
    return row.thread && column.startsWith("wait") ? <span class="zero">–</span> : "";
}

function cellsOf(row: Row, largest: number): Record<string, preact.ComponentChildren> {
    const indent = { paddingLeft: `${row.depth * 16}px` };
    if (row.process) {
        const { process } = row;
        return {
            name: (
                <span style={indent} title={process.command}>
                    <button
                        type="button"
                        tabIndex={-1}
                        class="link"
                        onClick={() => toggleProcess(process.pid)}
                    >
                        process {process.pid}
                    </button>
                    {filter.value.processes.includes(String(process.pid)) ? <b> ✓</b> : null}{" "}
                    {visible(process.command, 90)} {process.ended ? <em>{process.ended}</em> : null}
                    {process.whyNot ? <em> not profiled: {visible(process.whyNot)}</em> : null}
                </span>
            ),
            lane: <Life start={process.start} end={process.end} />,
            cpu: seconds(process.cpu),
            memory: process.peakMemory > 0 ? megabytes(process.peakMemory) : "",
        };
    }
    const thread = row.thread as Thread;
    const cpu = thread.cpu[0] + thread.cpu[1] + thread.cpu[2];
    const waits = Object.entries(thread.waits).map(([kind, value]) => [`wait-${kind}`, seconds(value)]);
    const waited = Object.values(thread.waits).reduce((sum, value) => sum + value, 0);
    return {
        name: (
            <span style={indent}>
                <button type="button" tabIndex={-1} class="link" onClick={() => toggleThread(thread.name)}>
                    {visible(thread.name)}
                </button>
                {thread.isMain ? <span class="dim"> main</span> : null}
                {thread.isIdle ? <span class="dim"> idle</span> : null}
                {filter.value.threads.length > 0 && isThreadChosen(filter.value, thread) ? <b> ✓</b> : null}
            </span>
        ),
        lane: <Life start={thread.start} end={thread.end} />,
        bar: <TimeBar parts={[...thread.cpu, 0]} scale={largest} />,
        cpu: seconds(cpu),
        ...(waited > 0 ? { waited: seconds(waited) } : {}),
        ...Object.fromEntries(waits),
    };
}

function Life({ start, end }: { start: number; end: number }) {
    const [first, last] = shown.value.run.span;
    const length = last - first || 1;
    const style = {
        left: `${(100 * (start - first)) / length}%`,
        width: `${Math.max(1, (100 * (end - start)) / length)}%`,
    };
    return (
        <span class="life" title={`${moment(start, length)} to ${moment(end, length)}`}>
            <i style={style} />
        </span>
    );
}
