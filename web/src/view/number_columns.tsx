// SPDX-License-Identifier: Apache-2.0
// The columns of numbers that lines and functions share: one entry says what a column is, how it is
// sorted and how it is shown. A column that was not measured stays, grey, with the reason in its head.
import type { ComponentChildren } from "preact";
import type { Table } from "../model/profile";
import { count, megabytes, percent, seconds, waitName } from "../model/quantity";
import type { Rows } from "../model/rows";
import { parseQuery } from "../model/search";
import { filter } from "../state/store";
import { MemoryBar, Sparkline, TimeBar } from "./bar";
import { type Context, mb, number, type NumberColumn, take } from "./number_column";
import { RARE_COLUMNS } from "./rare_columns";

export type { Context, NumberColumn };

const WAIT_LETTERS: Record<string, string> = {
    gil: "G",
    lock: "L",
    sleep: "S",
    disk: "D",
    network: "N",
    pipe: "P",
    child: "C",
    gpu: "U",
    other: "O",
};

export function waitLetter(kind: string): string {
    return WAIT_LETTERS[kind] ?? "O";
}

/** The kinds that make up at least a twentieth of a row's waiting. */
export function waitKinds(rows: Rows, row: number): string[] {
    const all = Object.values(rows.table.waits).reduce((sum, column) => sum + column[row], 0);
    const kinds = Object.keys(rows.table.waits).filter((kind) => rows.table.waits[kind][row] >= 0.05 * all);
    return all > 0 ? kinds : [];
}

function timeText({ rows, unit }: Context, value: number): string {
    return unit === "s" ? seconds(value) : percent(rows.whole > 0 ? (100 * value) / rows.whole : 0);
}

/** What no sample hit is not nothing: with 95 % confidence it is less than three of them. */
function unseen(context: Context): string {
    const { each } = context.profile.samples;
    const hasAllKinds = filter.value.kinds.length + parseQuery(filter.value.search).kinds.length === 0;
    return each > 0 && hasAllKinds ? `< ${timeText(context, 3 * each)}` : "–";
}

function timeCell(context: Context, row: number): ComponentChildren {
    const { rows } = context;
    const value = rows.time[row];
    const error = rows.error[row];
    const isVague = error > value / 2 && value > 0;
    const share = rows.whole > 0 ? (100 * value) / rows.whole : 0;
    const small = share < 1 || isVague ? "dim" : "";
    return (
        <span class={value <= 0 ? "zero" : small}>
            {value <= 0 ? unseen(context) : `${isVague ? "~" : ""}${timeText(context, value)}`}
            {error > 0 && value > 0 ? <span class="error"> ± {timeText(context, error)}</span> : null}
        </span>
    );
}

function shareCell({ rows }: Context, row: number): ComponentChildren {
    const share = rows.whole > 0 ? (100 * rows.time[row]) / rows.whole : 0;
    return number(share, percent(share), 1);
}

function waitCell({ rows }: Context, row: number): ComponentChildren {
    const letters = waitKinds(rows, row);
    return (
        <span class={rows.isFromSamples ? "dim" : ""}>
            {letters.map((kind) => (
                <abbr key={kind} class="letter" title={`waiting: ${waitName(kind)}`}>
                    {waitLetter(kind)}
                </abbr>
            ))}
            {rows.wait[row] > 0 ? seconds(rows.wait[row]) : <span class="zero">–</span>}
        </span>
    );
}

function peakCell({ profile, rows }: Context, row: number): ComponentChildren {
    const { columns } = rows.table;
    const peak = columns.peak_mb?.[row] ?? 0;
    const volume = columns.allocated_mb?.[row] ?? 0;
    const fraction = volume > 0 ? Math.min(1, (columns.python_mb?.[row] ?? 0) / volume) : 1;
    return (
        <span class="with-bar">
            <MemoryBar
                python={peak * fraction}
                native={peak * (1 - fraction)}
                held={columns.at_end_mb?.[row]}
                scale={profile.run.peakMemory}
            />
            {number(peak, megabytes(peak), profile.run.peakMemory / 100)}
        </span>
    );
}

function seriesCell({ profile, rows }: Context, row: number): ComponentChildren {
    const start = rows.table.seriesStart[row] ?? 0;
    const end = start + (rows.table.seriesCount[row] ?? 0);
    const growing = (rows.table.columns.leak_likelihood?.[row] ?? 0) > 0;
    return (
        <span class="with-bar">
            <Sparkline
                time={profile.series.time.subarray(start, end)}
                value={profile.series.mb.subarray(start, end)}
                span={profile.run.span}
                scale={Math.max(0.001, rows.table.columns.peak_mb?.[row] ?? 0)}
            />
            {growing ? <b class="growing">growing</b> : null}
        </span>
    );
}

const timePart = (part: number) => (context: Context, row: number) => {
    const value = context.rows.parts[part][row];
    return number(value, timeText(context, value), context.rows.whole / 100);
};

export const NUMBER_COLUMNS: NumberColumn[] = [
    {
        id: "bar",
        title: "By kind",
        hint: "One bar a row, in this order: Python, native, system, idle. The whisker is the 95 % interval.",
        width: "minmax(90px, 130px)",
        isSpare: true,
        isUsual: true,
        isText: true,
        value: (rows, row) => rows.time[row],
        cell: ({ rows, largestTime }, row) => (
            <TimeBar
                parts={rows.parts.map((part) => part[row])}
                scale={largestTime}
                error={rows.error[row]}
            />
        ),
    },
    {
        id: "time",
        title: "Time",
        hint: "CPU time of all threads plus the idle time of the whole program, with its 95 % interval",
        width: "136px",
        isUsual: true,
        value: (rows, row) => rows.time[row],
        cell: timeCell,
    },
    {
        id: "share",
        title: "% of time",
        hint: "Share of all CPU and idle time that is shown",
        width: "72px",
        isUsual: true,
        isSpare: true,
        value: (rows, row) => rows.time[row],
        cell: shareCell,
    },
    ...(["Python", "native", "system", "idle"] as const).map((title, part) => ({
        id: title.toLowerCase(),
        title,
        hint: `${title} time alone`,
        width: "76px",
        isUsual: false,
        value: (rows: Rows, row: number) => rows.parts[part][row],
        cell: timePart(part),
    })),
    {
        id: "wait",
        title: "Waiting",
        hint: "Waiting of all threads, measured: GIL, lock, sleep, disk, network, pipe, child, GPU (U, where a thread asks again and again by samples)",
        width: "108px",
        isUsual: true,
        metric: "waits",
        value: (rows, row) => rows.wait[row],
        cell: waitCell,
    },
    ...RARE_COLUMNS,
    {
        id: "peak",
        title: "Peak memory",
        hint: "The most that was held at once (Python, native); the tick: held at the end",
        width: "minmax(110px, 130px)",
        isSpare: true,
        isUsual: true,
        needs: "peak_mb",
        metric: "memory",
        value: take("peak_mb"),
        cell: peakCell,
    },
    {
        id: "series",
        title: "Held over time",
        hint: "What these lines held, from start to end, each on its own scale",
        width: "104px",
        isUsual: true,
        isSpare: true,
        isText: true,
        needs: "peak_mb",
        metric: "memory",
        value: (rows, row) => rows.table.columns.leak_likelihood?.[row] ?? 0,
        cell: seriesCell,
    },
    {
        id: "at-peak",
        title: "At peak",
        hint: "Held when the program's memory was highest: these add up to the peak",
        width: "80px",
        isUsual: false,
        needs: "at_peak_mb",
        metric: "memory",
        value: take("at_peak_mb"),
        cell: mb("at_peak_mb"),
    },
    {
        id: "held",
        title: "At end",
        hint: "Still held when the program ended",
        width: "80px",
        isUsual: false,
        needs: "at_end_mb",
        metric: "memory",
        value: take("at_end_mb"),
        cell: mb("at_end_mb"),
    },
    {
        id: "average",
        title: "Average",
        hint: "Held on average, while anything was held",
        width: "80px",
        isUsual: false,
        needs: "average_mb",
        metric: "memory",
        value: take("average_mb"),
        cell: mb("average_mb"),
    },
    {
        id: "allocated",
        title: "Allocated",
        hint: "Bytes asked for in the whole run: volume, not memory held; and how often",
        width: "136px",
        isUsual: false,
        needs: "allocated_mb",
        metric: "memory",
        value: take("allocated_mb"),
        cell: (context, row) => {
            const times = take("alloc_count")(context.rows, row);
            return (
                <>
                    {mb("allocated_mb")(context, row)}
                    {times > 0 ? <span class="error"> in {count(times)}</span> : null}
                </>
            );
        },
    },
    {
        id: "copied",
        title: "Copied",
        hint: "Bytes copied, in the whole run and a second",
        width: "126px",
        isUsual: true,
        isSpare: true,
        needs: "copied_mb",
        metric: "memory",
        value: take("copied_mb"),
        cell: (context, row) => {
            const copied = take("copied_mb")(context.rows, row);
            const rate = copied / (context.profile.run.elapsed || 1);
            return (
                <>
                    {mb("copied_mb")(context, row)}
                    {rate >= 1 ? <span class="error"> {megabytes(rate)}/s</span> : null}
                </>
            );
        },
    },
    {
        id: "cores",
        title: "Cores",
        hint: "Mean use of the machine's cores while this ran",
        width: "64px",
        isUsual: false,
        needs: "utilization",
        value: take("utilization"),
        cell: (context, row) => {
            const value = 100 * take("utilization")(context.rows, row);
            return number(value, percent(value), 1);
        },
    },
    {
        id: "leak",
        title: "Leak",
        hint: "Growth a second, where memory is likely to leak",
        width: "96px",
        isUsual: false,
        needs: "leak_mb_s",
        metric: "memory",
        value: take("leak_mb_s"),
        cell: (context, row) => {
            const rate = take("leak_mb_s")(context.rows, row);
            return number(rate, `${megabytes(rate)}/s`, 0);
        },
    },
];

export function isMeasured(rows: Rows, column: NumberColumn): boolean {
    if (column.id === "wait") return Object.keys(rows.table.waits).length > 0;
    return !column.needs || column.needs in rows.table.columns;
}

const worth = new WeakMap<Table, Map<string, boolean>>();

/** A column that was not measured is left out unless it was asked for; one with nothing in it too. The answer
 * is of the whole run, so that a filter does not move columns. */
export function isWorthShowing(rows: Rows, column: NumberColumn): boolean {
    if (!column.isUsual || !isMeasured(rows, column)) return false;
    if (!column.metric || column.id === "wait") return true;
    const known = worth.get(rows.table) ?? new Map<string, boolean>();
    worth.set(rows.table, known);
    const answer = known.get(column.id) ?? hasAny(rows, column);
    known.set(column.id, answer);
    return answer;
}

const COPIED_MB = 10; // less is not worth a column unless it is asked for

function hasAny(rows: Rows, column: NumberColumn): boolean {
    const least = column.id === "copied" ? COPIED_MB : 0;
    for (let row = 0; row < rows.table.count; row++) if (column.value(rows, row) > least) return true;
    return column.id === "series" && rows.table.seriesCount.some((points) => points > 0);
}

/** One number of a row, where there is no room for columns. */
export function cellOf(id: string, context: Context, row: number): ComponentChildren {
    return NUMBER_COLUMNS.find((column) => column.id === id)?.cell(context, row);
}
