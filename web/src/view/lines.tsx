// SPDX-License-Identifier: Apache-2.0
// Lines: one ranking over all files.
import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { megabytes, percent, plural, seconds, visible } from "../model/quantity";
import { functionOfRow } from "../model/ranking";
import { openSource, selectLine } from "../state/actions";
import { needSource, sources } from "../state/sources";
import { lines, selection, shown } from "../state/store";
import { Check } from "./check";
import { ColumnMenu } from "./column_choice";
import { isWhole } from "./grid";
import { highlighted } from "./highlight";
import { cellOf } from "./number_columns";
import { type NamedColumn, NumberTable, type NumberTableProps } from "./number_table";
import { NothingHere } from "./nothing";
import { OfferMark } from "./proposal";
import { SortChoice } from "./sort_choice";

const isGrouped = signal(false);
/** Of a place's column, in characters. */
const PLACE_MOST = 28;
const LINE_DIGITS = 9; // and the mark of a proposal

export function placeOf(row: number): string {
    const { files, lines: table } = shown.value;
    return `${files[table.file[row]].name}:${table.line[row]}`;
}

export function openLine(row: number): void {
    const { files, lines: table } = shown.value;
    openSource(files[table.file[row]].path, table.line[row]);
}

function needSourcesOf(rows: number[]): void {
    for (const row of rows) needSource(shown.value.lines.file[row]);
}

function lineNames(): NamedColumn[] {
    const { lines: table, files } = shown.value;
    const longest = files.reduce((most, { name }) => Math.max(most, name.length), 0);
    return [
        {
            id: "place",
            title: "Line",
            width: `${Math.min(PLACE_MOST, longest + LINE_DIGITS)}ch`,
            isText: true,
            cell: (row) => (
                <span class="marked">
                    <button
                        type="button"
                        tabIndex={-1}
                        class="link place"
                        onClick={() => openLine(row)}
                        title="Show in Source"
                    >
                        {visible(placeOf(row))}
                    </button>
                    <OfferMark row={row} />
                </span>
            ),
        },
        {
            id: "code",
            title: "Source",
            width: "minmax(220px, 1fr)",
            isText: true,
            cell: (row) => <Code file={table.file[row]} line={table.line[row]} />,
        },
    ];
}

export function Code({ file, line }: { file: number; line: number }) {
    const source = sources.value.get(file);
    return <code class="code">{Array.isArray(source) ? trimmed(source, line) : ""}</code>;
}

function trimmed(source: string[], line: number) {
    const text = source[line - 1] ?? "";
    return text.trim() === "" ? "" : highlighted(source, line, text.length - text.trimStart().length);
}

export function LinesPanel() {
    const { filesLeftOut } = shown.value;
    return (
        <div class="panel-body">
            <div class="toolbar">
                <SortChoice rows={lines.value} />
                <ColumnMenu rows={lines.value} />
                <Check isOn={isGrouped.value} set={(isOn) => (isGrouped.value = isOn)}>
                    by file
                </Check>
                <Check
                    isOn={isWhole.value}
                    set={(isOn) => (isWhole.value = isOn)}
                    title="So that Ctrl-F of the browser finds them; up to 20 000 rows"
                >
                    all rows
                </Check>
                <span class="note">
                    100 % = {seconds(lines.value.whole)} of{" "}
                    {lines.value.isFromSamples ? "CPU time in the filter" : "CPU and idle time"}
                </span>
            </div>
            <LineTable
                id="lines"
                label="Lines"
                groupByFile={isGrouped.value}
                cardNumbers={["time", "share"]}
                empty={<NothingHere what="lines" />}
            />
            {filesLeftOut.count > 0 ? (
                <p class="note">
                    {plural(filesLeftOut.count, "file")} with {percent(filesLeftOut.percent)} together{" "}
                    {filesLeftOut.count === 1 ? "is" : "are"} not listed.
                </p>
            ) : null}
        </div>
    );
}

interface LineTableProps extends Pick<
    NumberTableProps,
    "id" | "label" | "only" | "sortedBy" | "keep" | "groupByFile" | "empty"
> {
    cardNumbers: string[]; // ids of columns
}

/** Lines by any of their numbers. */
export function LineTable({ cardNumbers, ...props }: LineTableProps) {
    return (
        <NumberTable
            {...props}
            rows={lines.value}
            names={lineNames()}
            active={selection.value.kind === "line" ? selection.value.row : -1}
            onActive={selectLine}
            onOpen={openLine}
            onRows={needSourcesOf}
            card={(row, context) => (
                <LineCard row={row}>
                    {cardNumbers.map((id, place) => [place > 0 ? " · " : "", cellOf(id, context, row)])}
                </LineCard>
            )}
        />
    );
}

/** What a card has room for besides the time. */
function cardFacts(row: number): string[] {
    const { table, wait } = lines.value;
    const value = (name: string) => table.columns[name]?.[row] ?? 0;
    return [
        wait[row] > 0 ? `waited ${seconds(wait[row])}` : "",
        value("await_s") > 0 ? `awaited ${seconds(value("await_s"))}` : "",
        value("gpu_percent") > 0 ? `GPU ${percent(value("gpu_percent"))}` : "",
        value("peak_mb") > 0 ? megabytes(value("peak_mb")) : "",
    ].filter(Boolean);
}

/** `children` is the number that the list is about. */
function LineCard({ row, children }: { row: number; children: ComponentChildren }) {
    const { lines: table } = shown.value;
    return (
        <span class="card">
            <span class="card-top">
                <b>{visible(placeOf(row))}</b>
                <span>{children}</span>
            </span>
            <Code file={table.file[row]} line={table.line[row]} />
            <span class="dim">
                {[visible(functionOfRow(shown.value, lines.value, row)), ...cardFacts(row)].join(" · ")}
            </span>
        </span>
    );
}
