// SPDX-License-Identifier: Apache-2.0
// A table of any length with fixed row height: only rows in sight are in the document. It is one tab stop;
// arrows move the active row, Enter opens it.
import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

export interface GridColumn {
    id: string;
    title: ComponentChildren;
    width: string; // of a CSS grid track
    hint?: string;
    isSortable?: boolean;
    isText?: boolean;
}

interface GridProps {
    id: string;
    label: string;
    role?: "grid" | "treegrid";
    columns: GridColumn[];
    count: number;
    rowHeight?: number;
    active: number;
    sort?: string; // as in a link: column, "-" in front when ascending
    cells: (place: number) => ComponentChildren[];
    rowClass?: (place: number) => string;
    rowAttributes?: (place: number) => Record<string, unknown>;
    onActive: (place: number) => void;
    onOpen?: (place: number) => void;
    onKey?: (event: KeyboardEvent, place: number) => boolean;
    onSort?: (column: string) => void;
    onRange?: (first: number, last: number) => void;
    empty: ComponentChildren;
}

const AHEAD = 8;
const MOST_WHOLE = 20_000;
/** All rows in the document, so that the browser's own search finds them. */
export const isWhole = signal(false);
export const ROW_HEIGHT = 24;

export function Grid(props: GridProps) {
    const scroller = useRef<HTMLDivElement>(null);
    const height = props.rowHeight ?? ROW_HEIGHT;
    const [range, setRange] = useState<[number, number]>([0, 40]);

    const measure = () => {
        const element = scroller.current;
        if (!element) return;
        const isAll = isWhole.value && props.count <= MOST_WHOLE;
        const first = isAll ? 0 : Math.max(0, Math.floor(element.scrollTop / height) - AHEAD);
        const last = isAll
            ? props.count
            : Math.ceil((element.scrollTop + element.clientHeight) / height) + AHEAD;
        setRange((old) => (old[0] === first && old[1] === last ? old : [first, last]));
    };
    useLayoutEffect(measure, [props.count, height, isWhole.value]);
    useEffect(() => {
        const observer = new ResizeObserver(measure);
        if (scroller.current) observer.observe(scroller.current);
        return () => observer.disconnect();
    }, [height]);
    useLayoutEffect(() => {
        if (props.active >= 0) reveal(scroller.current, props.active, height);
    }, [props.active, props.count, height]);

    const first = Math.min(range[0], Math.max(0, props.count - 1));
    const last = Math.min(range[1], props.count);
    useEffect(() => props.onRange?.(first, last), [first, last, props.count, props.onRange]);

    const tracks = props.columns.map((column) => column.width).join(" ");
    const places = Array.from({ length: Math.max(0, last - first) }, (_, index) => first + index);
    const isActiveInSight = props.active >= first && props.active < last;
    return (
        <div
            class="grid"
            role={props.role ?? "grid"}
            id={props.id}
            aria-label={props.label}
            aria-rowcount={props.count + 1}
            aria-colcount={props.columns.length}
            aria-activedescendant={isActiveInSight ? `${props.id}-${props.active}` : undefined}
            tabIndex={0}
            ref={scroller}
            onScroll={measure}
            onKeyDown={(event) => handleKey(event, props, scroller.current, height)}
        >
            <Head {...props} tracks={tracks} />
            {props.count === 0 ? (
                <div role="row" class="grid-empty">
                    <span role="gridcell">{props.empty}</span>
                </div>
            ) : (
                <div class="grid-body" role="rowgroup" style={{ height: `${props.count * height}px` }}>
                    {places.map((place) => (
                        <div
                            key={place % places.length} // a row that scrolls out becomes one that comes in
                            id={`${props.id}-${place}`}
                            role="row"
                            aria-rowindex={place + 2}
                            aria-selected={place === props.active}
                            class={`grid-row ${props.rowClass?.(place) ?? ""} ${place === props.active ? "is-active" : ""}`}
                            style={{
                                top: `${place * height}px`,
                                height: `${height}px`,
                                gridTemplateColumns: tracks,
                            }}
                            onClick={() => props.onActive(place)}
                            onDblClick={() => props.onOpen?.(place)}
                            {...props.rowAttributes?.(place)}
                        >
                            {props.cells(place).map((cell, index) => (
                                <span
                                    key={props.columns[index].id}
                                    role="gridcell"
                                    class={props.columns[index].isText ? "cell text" : "cell"}
                                >
                                    {cell}
                                </span>
                            ))}
                        </div>
                    ))}
                </div>
            )}
        </div>
    );
}

function Head(props: GridProps & { tracks: string }) {
    const sorted = props.sort?.replace(/^-/, "");
    const direction = props.sort?.startsWith("-") ? "ascending" : "descending";
    return (
        <div class="grid-head" role="row" aria-rowindex={1} style={{ gridTemplateColumns: props.tracks }}>
            {props.columns.map((column) => (
                <span
                    key={column.id}
                    role="columnheader"
                    title={column.hint}
                    class={column.isText ? "text" : ""}
                    aria-sort={column.id === sorted ? direction : undefined}
                >
                    {column.isSortable && props.onSort ? (
                        <button type="button" tabIndex={-1} onClick={() => props.onSort?.(column.id)}>
                            {column.title}
                            {column.id === sorted ? (direction === "ascending" ? " ▴" : " ▾") : ""}
                        </button>
                    ) : (
                        column.title
                    )}
                </span>
            ))}
        </div>
    );
}

function reveal(element: HTMLElement | null, place: number, height: number): void {
    if (!element) return;
    const head = (element.firstElementChild as HTMLElement | null)?.offsetHeight ?? 0;
    const top = place * height;
    const room = element.clientHeight - head - height;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top > element.scrollTop + room) element.scrollTop = Math.max(0, top - room / 2);
}

function handleKey(
    event: KeyboardEvent,
    props: GridProps,
    element: HTMLElement | null,
    height: number,
): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (props.onKey?.(event, props.active)) return event.preventDefault();
    const page = Math.max(1, Math.floor((element?.clientHeight ?? 400) / height) - 2);
    const steps: Record<string, number> = {
        ArrowDown: 1,
        j: 1,
        ArrowUp: -1,
        k: -1,
        PageDown: page,
        PageUp: -page,
        Home: -props.count,
        End: props.count,
    };
    const step = steps[event.key];
    if (step !== undefined && props.count > 0) {
        props.onActive(Math.min(props.count - 1, Math.max(0, props.active + step)));
        event.preventDefault();
        event.stopPropagation();
    } else if (event.key === "Enter" && props.active >= 0) {
        props.onOpen?.(props.active);
        event.preventDefault();
    }
}

/** The rows by the column that `sort` names: the largest first, with "-" before the name the smallest. */
export function inOrder<Row>(rows: Row[], values: Record<string, (row: Row) => number>, sort: string): Row[] {
    const value = values[sort.replace(/^-/, "")];
    const sign = sort.startsWith("-") ? -1 : 1;
    return [...rows].sort((one, other) => sign * (value(other) - value(one)));
}

/** First click on a column: largest first; on the same again: smallest first. */
export function nextSort(current: string, column: string): string {
    return current === column ? `-${column}` : column;
}
