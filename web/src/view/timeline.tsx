// SPDX-License-Identifier: Apache-2.0
// The run from left to right: CPU by kind, memory, tracks, one lane a thread. Dragging selects a time, and
// releasing filters everything by it. Zooming is apart from selecting.
import { signal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { megabytes, moment, percent, plural, seconds, visible } from "../model/quantity";
import type { Thread } from "../model/profile";
import { type Tracks, tracksOf } from "../model/tracks";
import { threadsAllowed } from "../model/weigh";
import { remember, remembered, selectTime, zoomTo } from "../state/actions";
import { filter, shown, zoom, zooms } from "../state/store";
import { Brush } from "./brush";
import { AXIS_WIDTH, Chart, type Curve } from "./chart";
import { Check } from "./check";
import { Footprint } from "./footprint";
import { busyAt, GpuTracks } from "./gpu";
import { drawLanes, LANE_HEIGHT } from "./lanes";
import { theme } from "./theme";
import { isNarrow } from "./width";

const BUCKETS = 600;
const MOST_LANES = 8;
/** A curve of single samples is all teeth: each of its points is the mean over about so many. */
const SMOOTHED_SAMPLES = 6;
const isFolded = signal(remembered("timeline", "") === "folded");
const isTable = signal(false);

export function Timeline() {
    const { run, samples } = shown.value;
    const span = zoom.value ?? run.span;
    const tracks = useMemo(
        () => tracksOf(shown.value, { ...filter.value, time: null }, span, BUCKETS),
        [shown.value, span[0], span[1], threadsAllowed(shown.value, filter.value).join("")],
    );
    if (samples.time.length === 0) {
        return (
            <section class="timeline" aria-label="Timeline">
                <p class="note">
                    There is no timeline.{" "}
                    {run.missing.timeline ?? run.missing.stacks ?? "No samples were kept."}
                </p>
            </section>
        );
    }
    return (
        <section class={`timeline ${isFolded.value ? "folded" : ""}`} aria-labelledby="timeline-title">
            <Head />
            <Zooms />
            {isTable.value ? <TimeTable tracks={tracks} /> : <Pictures tracks={tracks} span={span} />}
        </section>
    );
}

function fold(): void {
    isFolded.value = !isFolded.value;
    remember("timeline", isFolded.value ? "folded" : "");
}

function Head() {
    const { run } = shown.value;
    const time = filter.value.time;
    const set = (from: number, to: number) => {
        if (from < to) selectTime([from, to]);
    };
    return (
        <div class="toolbar">
            <h2 id="timeline-title">
                <button type="button" class="plain" aria-expanded={!isFolded.value} onClick={fold}>
                    {isFolded.value ? "▸" : "▾"} Timeline
                </button>
            </h2>
            <label class="check">
                from{" "}
                <input
                    type="number"
                    step="any"
                    min={0}
                    value={round((time ?? run.span)[0])}
                    onChange={(event) => set(event.currentTarget.valueAsNumber, (time ?? run.span)[1])}
                />
            </label>
            <label class="check">
                to{" "}
                <input
                    type="number"
                    step="any"
                    min={0}
                    value={round((time ?? run.span)[1])}
                    onChange={(event) => set((time ?? run.span)[0], event.currentTarget.valueAsNumber)}
                />{" "}
                s
            </label>
            <button type="button" disabled={!time} onClick={() => selectTime(null)}>
                whole run
            </button>
            <button type="button" disabled={!time} onClick={() => time && zoomTo(time)}>
                zoom in
            </button>
            <Check isOn={isTable.value} set={(isOn) => (isTable.value = isOn)}>
                as table
            </Check>
            <span class="note only-wide">drag to select a time; Ctrl and the wheel zoom</span>
        </div>
    );
}

/** The zooms that lead to what is shown, the whole run first, as links that lead out. */
function Zooms() {
    if (zooms.value.length === 0) return null;
    return (
        <nav class="crumbs" aria-label="Timeline zoomed to">
            <button type="button" class="link" onClick={() => (zooms.value = [])}>
                whole run
            </button>
            {zooms.value.map(([from, to], index) => (
                <button
                    key={index}
                    type="button"
                    class="link"
                    aria-current={index === zooms.value.length - 1 ? "true" : undefined}
                    onClick={() => (zooms.value = zooms.value.slice(0, index + 1))}
                >
                    {moment(from, to - from)}–{moment(to, to - from)}
                </button>
            ))}
        </nav>
    );
}

function round(value: number): number {
    return Number(value.toFixed(3));
}

/** Curves of a stacked chart: the whole first, so that smaller parts are painted over it. */
function stacked(tracks: Tracks, samples: number): { time: Float64Array; curves: Curve[] } {
    const buckets = tracks.cpu[0].length;
    const time = Float64Array.from(
        { length: buckets },
        (_, bucket) => tracks.start + (bucket + 0.5) * tracks.step,
    );
    const width = Math.min(30, Math.max(1, Math.round((buckets * SMOOTHED_SAMPLES) / (2 * samples + 1))));
    const smooth = tracks.cpu.map((values) => averaged(values, width));
    const [python, native, system] = smooth;
    const two = python.map((value, bucket) => value + native[bucket]);
    const three = two.map((value, bucket) => value + system[bucket]);
    return {
        time,
        curves: [
            { label: "system", values: three, stroke: "system", fill: "system" },
            { label: "native", values: two, stroke: "native", fill: "native" },
            { label: "Python", values: python, stroke: "python", fill: "python" },
        ],
    };
}

function averaged(values: Float64Array, width: number): Float64Array {
    const sums = new Float64Array(values.length + 1);
    for (let index = 0; index < values.length; index++) sums[index + 1] = sums[index] + values[index];
    return values.map((_, index) => {
        const from = Math.max(0, index - width);
        const to = Math.min(values.length, index + width + 1);
        return (sums[to] - sums[from]) / (to - from);
    });
}

function Pictures({ tracks, span }: { tracks: Tracks; span: [number, number] }) {
    const { run, footprint } = shown.value;
    const cpu = useMemo(() => stacked(tracks, shown.value.samples.time.length), [tracks]);
    const isFull = !isFolded.value;
    return (
        <Brush span={span} left={AXIS_WIDTH}>
            <Chart
                height={isFull ? 72 : 40}
                time={cpu.time}
                curves={cpu.curves}
                span={span}
                say={(cores) => `${Number(cores.toFixed(2))} CPU`}
                hasTimeAxis={isFull && !run.hasMemory}
            />
            {isFull && run.hasMemory && footprint.time.length > 1 ? (
                <Footprint height={70} span={span} />
            ) : null}
            {isFull ? <GpuTracks span={span} /> : null}
            {isFull && !isNarrow.value ? <Lanes tracks={tracks} /> : null}
        </Brush>
    );
}

/** What tells a thread apart is never clipped; its name may be. */
function laneLabel({ name, plainName }: Thread): { name: string; beside: string; hint: string } {
    return {
        name: plainName,
        beside: name
            .slice(plainName.length)
            .replace(/[ ()]+/g, " ")
            .trim(),
        hint: name,
    };
}

function Lanes({ tracks }: { tracks: Tracks }) {
    const canvas = useRef<HTMLCanvasElement>(null);
    const { threads } = shown.value;
    const busy = threads
        .map((_, index) => index)
        .filter((index) => filter.value.showIdle || !threads[index].isIdle);
    const marks = Object.keys(tracks.marks).filter((name) => tracks.marks[name].some(Boolean));
    const lanes = threads.length > 1 ? busy.slice(0, MOST_LANES) : [];
    const labels = [
        ...marks.map((name) => ({ name, beside: "", hint: `${name}: work on the CPU, by native function` })),
        ...lanes.map((index) => laneLabel(threads[index])),
    ];
    useEffect(() => {
        const draw = () => canvas.current && drawLanes(canvas.current, tracks, marks, lanes, shown.value);
        draw();
        const observer = new ResizeObserver(draw);
        if (canvas.current) observer.observe(canvas.current);
        return () => observer.disconnect();
    }, [tracks, theme.value, labels.map(({ hint }) => hint).join()]);
    if (labels.length === 0) return null;
    return (
        <div class="lanes" style={{ height: `${labels.length * LANE_HEIGHT}px` }}>
            <ul aria-hidden="true">
                {labels.map(({ name, beside, hint }, place) => (
                    <li key={place} title={hint}>
                        <span>{name}</span>
                        {beside}
                    </li>
                ))}
            </ul>
            <canvas ref={canvas} aria-hidden="true" />
            {busy.length > MOST_LANES && threads.length > 1 ? (
                <p class="note">
                    {plural(busy.length - MOST_LANES, "more thread")} under Threads &amp; processes
                </p>
            ) : null}
        </div>
    );
}

function TimeTable({ tracks }: { tracks: Tracks }) {
    const { footprint, devices } = shown.value;
    const steps = 20;
    const each = tracks.cpu[0].length / steps;
    const rows = Array.from({ length: steps }, (_, step) => {
        const sums = tracks.cpu.map((values) =>
            values
                .subarray(step * each, (step + 1) * each)
                .reduce((sum, value) => sum + value * tracks.step, 0),
        );
        const end = tracks.start + (step + 1) * each * tracks.step;
        const at = footprint.time.findLastIndex((time) => time <= end);
        return {
            start: tracks.start + step * each * tracks.step,
            end,
            sums,
            mb: at < 0 ? 0 : footprint.mb[at],
            gpu: devices.map((device) => busyAt(device, end - each * tracks.step, end)),
        };
    });
    return (
        <div class="scroll" tabIndex={0} role="region" aria-label="Timeline as a table">
            <table class="plain-table">
                <thead>
                    <tr>
                        {[
                            "Time",
                            "Python",
                            "native",
                            "system",
                            "memory at its end",
                            ...devices.map(({ name }) => `busy: ${visible(name, 40)}`),
                        ].map((title, index) => (
                            <th key={index} scope="col">
                                {title}
                            </th>
                        ))}
                    </tr>
                </thead>
                <tbody>
                    {rows.map((row) => (
                        <tr key={row.start}>
                            <th scope="row">
                                <button
                                    type="button"
                                    class="link"
                                    onClick={() => selectTime([row.start, row.end])}
                                >
                                    {moment(row.start, tracks.step * 600)}–
                                    {moment(row.end, tracks.step * 600)}
                                </button>
                            </th>
                            {row.sums.map((sum, index) => (
                                <td key={index}>{seconds(sum)}</td>
                            ))}
                            <td>{megabytes(row.mb)}</td>
                            {row.gpu.map((busy, index) => (
                                <td key={`gpu ${index}`}>{percent(busy)}</td>
                            ))}
                        </tr>
                    ))}
                </tbody>
            </table>
        </div>
    );
}
