// SPDX-License-Identifier: Apache-2.0
// Source: files on the left, numbers in the gutter, hot lines as marks on the right.
import { signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { megabytes, percent, seconds, visible } from "../model/quantity";
import { rowAt, rowIndex } from "../model/rows";
import { go, openEditor, selectLine, toggleFile } from "../state/actions";
import { needSource, sources } from "../state/sources";
import { filter, lines, selection, shown, view } from "../state/store";
import { TimeBar } from "./bar";
import { Grid, type GridColumn } from "./grid";
import { highlighted } from "./highlight";
import { waitKinds, waitLetter } from "./number_columns";
import { OfferMark } from "./proposal";
import { isNarrow } from "./width";

type Amount = "all" | "functions" | "lines";
const amount = signal<Amount>("all");

export function currentFile(): number {
    const index = shown.value.files.findIndex((file) => file.name === view.value.file);
    return index >= 0 ? index : 0;
}

/** Rows of a file, heaviest first: what n and N walk. */
export function hotRows(file: number): number[] {
    const { table, time, whole } = lines.value;
    const rows: number[] = [];
    for (let row = 0; row < table.count; row++) {
        if (table.file[row] === file && time[row] >= whole / 100) rows.push(row);
    }
    return rows.sort((one, other) => time[other] - time[one]);
}

export function walkHotLines(step: number): void {
    const rows = hotRows(currentFile());
    if (rows.length === 0) return;
    const at = rows.indexOf(selection.value.kind === "line" ? selection.value.row : -1);
    const next = rows[(at + step + rows.length + (at < 0 && step < 0 ? 1 : 0)) % rows.length];
    selectLine(next);
}

export function SourcePanel() {
    const { files } = shown.value;
    const file = currentFile();
    useEffect(() => needSource(file), [file, shown.value]);
    if (files.length === 0) return <p class="note">No file was profiled.</p>;
    return (
        <div class="source">
            <Files current={file} />
            <SourceFileView key={file} file={file} />
        </div>
    );
}

function Files({ current }: { current: number }) {
    const { files, run, filesLeftOut } = shown.value;
    const whole = run.total || 1;
    return (
        <nav class="files" aria-label="Files">
            <ul>
                {files.slice(0, 500).map((file, index) => (
                    <li key={file.path}>
                        <button
                            type="button"
                            class={index === current ? "link is-active" : "link"}
                            aria-current={index === current ? "true" : undefined}
                            title={file.path}
                            onClick={() => go({ view: { file: file.name, line: 0 } })}
                        >
                            {visible(file.name)}
                        </button>
                        <span class="dim">{percent((100 * file.seconds) / whole)}</span>
                    </li>
                ))}
            </ul>
            {files.length > 500 ? (
                <p class="note">and {files.length - 500} more files: search for file:name in Lines</p>
            ) : null}
            {filesLeftOut.count > 0 ? (
                <p class="note">
                    {filesLeftOut.count} small files, {percent(filesLeftOut.percent)} together
                </p>
            ) : null}
        </nav>
    );
}

/** Line numbers to show: all, those of functions with data, or only those with data. */
function numbersOf(file: number, count: number, wanted: Amount): number[] {
    const { table } = lines.value;
    const keep = new Set<number>();
    for (let row = 0; row < table.count; row++) {
        if (table.file[row] !== file) continue;
        keep.add(table.line[row]);
        const first = table.columns.function_first?.[row] ?? 0;
        const last = Math.min(table.columns.function_last?.[row] ?? 0, count);
        for (let line = first; wanted === "functions" && first > 0 && line <= last; line++) keep.add(line);
    }
    if (wanted !== "all" && keep.size > 0) return [...keep].sort((one, other) => one - other);
    let most = count;
    for (const line of keep) most = Math.max(most, line);
    return Array.from({ length: Math.min(most, 1_000_000) }, (_, index) => index + 1);
}

function columnsOf(name: string): GridColumn[] {
    if (isNarrow.value) {
        return [
            { id: "time", title: "Time", width: "76px" },
            { id: "number", title: "Line", width: "60px" },
            { id: "code", title: visible(name), width: "minmax(400px, 1fr)", isText: true },
        ];
    }
    const { columns } = lines.value.table;
    return [
        { id: "bar", title: "By kind", width: "110px" },
        { id: "time", title: "Time", width: "74px" },
        { id: "wait", title: "Waiting", width: "100px" },
        ...(columns.await_s ? [{ id: "await", title: "Await", width: "76px" }] : []),
        ...(columns.gpu_percent ? [{ id: "gpu", title: "GPU", width: "64px" }] : []),
        { id: "memory", title: "Peak memory", width: "84px" },
        { id: "number", title: "Line", width: "68px" },
        { id: "code", title: visible(name), width: "minmax(400px, 1fr)", isText: true },
    ];
}

function SourceFileView({ file }: { file: number }) {
    const info = shown.value.files[file];
    const source = sources.value.get(file);
    const text = Array.isArray(source) ? source : [];
    const rows = useMemo(() => rowIndex(lines.value.table), [lines.value.table]);
    const numbers = useMemo(
        () => numbersOf(file, text.length, amount.value),
        [file, text.length, amount.value, lines.value],
    );
    const columns = columnsOf(info.name);
    const largest = useMemo(() => {
        const { table, time } = lines.value;
        let most = 0;
        for (let row = 0; row < table.count; row++)
            if (table.file[row] === file) most = Math.max(most, time[row]);
        return most;
    }, [lines.value, file]);
    const cells = (place: number) => {
        const line = numbers[place];
        const row = rowAt(rows, file, line);
        const all = lineCells(row, line, text, largest, info.path);
        return columns.map((column) => all[column.id]);
    };
    return (
        <div class="source-text">
            <div class="toolbar">
                <label class="check">
                    show{" "}
                    <select
                        value={amount.value}
                        onChange={(event) => (amount.value = event.currentTarget.value as Amount)}
                    >
                        <option value="all">all lines</option>
                        <option value="functions">functions with data</option>
                        <option value="lines">lines with data</option>
                    </select>
                </label>
                <button type="button" onClick={() => walkHotLines(1)}>
                    next hot line <kbd>n</kbd>
                </button>
                <button
                    type="button"
                    onClick={() => toggleFile(info.name)}
                    aria-pressed={filter.value.files.includes(info.name)}
                >
                    only this file
                </button>
                <span class="note path" title={info.path}>
                    {visible(info.path)}
                </span>
            </div>
            {typeof source === "string" ? <p class="note">{visible(source)}</p> : null}
            <div class="source-rows">
                <Grid
                    id="source"
                    label={`Source of ${info.name}`}
                    columns={columns}
                    count={numbers.length}
                    active={view.value.line > 0 ? numbers.indexOf(view.value.line) : -1}
                    rowClass={(place) => heat(rowAt(rows, file, numbers[place]))}
                    cells={cells}
                    onActive={(place) => choose(file, numbers[place], rows)}
                    onOpen={(place) => openEditor(info.path, numbers[place])}
                    empty="This file has no lines."
                />
                <Minimap
                    file={file}
                    count={Math.max(text.length, numbers[numbers.length - 1] ?? 1)}
                    largest={largest}
                />
            </div>
        </div>
    );
}

function choose(file: number, line: number, rows: Map<number, number>): void {
    const row = rowAt(rows, file, line);
    if (row >= 0) selectLine(row);
    else go({ view: { file: shown.value.files[file].name, line } }, false);
}

function heat(row: number): string {
    if (row < 0) return "";
    const share = lines.value.time[row] / (lines.value.whole || 1);
    return share >= 0.33 ? "heat-3" : share >= 0.1 ? "heat-2" : share >= 0.01 ? "heat-1" : "";
}

function lineCells(row: number, line: number, text: string[], largest: number, path: string) {
    const { time, parts, wait, table, whole, error } = lines.value;
    const has = row >= 0;
    const value = has ? time[row] : 0;
    const letters = has ? waitKinds(lines.value, row) : [];
    const unit = view.value.unit;
    const amount = (name: string, say: (value: number) => string) => {
        const value = has ? (table.columns[name]?.[row] ?? 0) : 0;
        return value > 0 ? say(value) : "";
    };
    return {
        bar: has ? <TimeBar parts={parts.map((part) => part[row])} scale={largest} error={error[row]} /> : "",
        time: value > 0 ? (unit === "s" ? seconds(value) : percent((100 * value) / (whole || 1))) : "",
        wait: has && wait[row] > 0 ? `${letters.map(waitLetter).join("")} ${seconds(wait[row])}` : "",
        await: amount("await_s", seconds),
        gpu: amount("gpu_percent", percent),
        memory: amount("peak_mb", megabytes),
        number: (
            <span class="marked at-end">
                <OfferMark row={row} />
                <button
                    type="button"
                    tabIndex={-1}
                    class="link"
                    title="Open in the editor"
                    onClick={() => openEditor(path, line)}
                >
                    {line}
                </button>
            </span>
        ),
        code: <code class="code">{highlighted(text, line)}</code>,
    } as Record<string, preact.ComponentChildren>;
}

/** Where the hot lines of the whole file are. The n key walks the same lines. */
function Minimap({ file, count, largest }: { file: number; count: number; largest: number }) {
    const { table, time } = lines.value;
    const marks = hotRows(file)
        .slice(0, 200)
        .map((row) => (
            <i
                key={row}
                title={`line ${table.line[row]}: ${seconds(time[row])}`}
                style={{
                    top: `${(100 * (table.line[row] - 1)) / count}%`,
                    opacity: 0.35 + (0.65 * time[row]) / (largest || 1),
                }}
                onClick={() => selectLine(row)}
            />
        ));
    return (
        <div class="minimap" aria-hidden="true">
            {marks}
        </div>
    );
}
