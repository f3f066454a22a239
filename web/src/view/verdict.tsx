// SPDX-License-Identifier: Apache-2.0
// The first five seconds: what took the time, what took the memory, how far to trust it.
import { choosesSamples } from "../model/filter";
import { megabytes, percent, plural, seconds, waitName } from "../model/quantity";
import { filter, shown, view, weights } from "../state/store";
import { MemoryBar, Sparkline, TimeBar } from "./bar";
import { GpuRows } from "./gpu";

const NATIVE_MB = 0.001; // less is rounding
const NAMES = ["Python", "native", "system", "idle"];
const CLASSES = ["python", "native", "system", "waiting"];

export function Verdict() {
    const { run } = shown.value;
    return (
        <section class="verdict" aria-labelledby="verdict-title">
            <h2 id="verdict-title" class="hidden">
                Verdict
            </h2>
            <p class="facts">{factsOf()}</p>
            <TimeRow />
            <GpuRows />
            {run.hasMemory ? (
                <MemoryRow />
            ) : (
                <p class="note">{run.missing.memory ?? "Memory was not measured."}</p>
            )}
        </section>
    );
}

function factsOf(): string {
    const { run, threads, processes } = shown.value;
    const cpu = run.cpu[0] + run.cpu[1] + run.cpu[2];
    const waited = Object.values(run.waits).reduce((sum, value) => sum + value, 0);
    const own = (run.quality.own_cpu_in_program_s ?? 0) / (cpu || 1);
    const facts = [
        `${seconds(run.elapsed)} elapsed`,
        `${seconds(cpu)} of CPU time`,
        waited > 0 ? `${seconds(waited)} waiting` : "",
        threads.length > 0 ? plural(threads.length, "thread") : "",
        processes.length > 0 ? plural(processes.length, "process") : "",
        run.madeBy ? "" : `profiler cost ${percent(100 * own)}`,
        run.madeBy
            ? `written by ${run.madeBy}`
            : `${plural(run.quality.cpu_samples_lost ?? 0, "sample")} lost`,
        run.ended,
    ];
    return facts.filter(Boolean).join(" · ");
}

function TimeRow() {
    const { run } = shown.value;
    const isFiltered = choosesSamples(filter.value);
    const parts = isFiltered ? [...weights.value.byGroup, 0] : [...run.cpu, run.idle];
    const whole = parts.reduce((sum, part) => sum + part, 0);
    const text = (value: number) =>
        view.value.unit === "s" ? seconds(value) : percent((100 * value) / (whole || 1));
    const waits = Object.entries(run.waits).sort((one, other) => other[1] - one[1]);
    return (
        <div class="verdict-row">
            <h3>Time</h3>
            <TimeBar parts={parts} scale={whole} isWide />
            <p class="legend">
                {parts.map((part, index) =>
                    part > 0 ? (
                        <span key={index}>
                            <i class={`key ${CLASSES[index]}`} /> {NAMES[index]} <b>{text(part)}</b>
                        </span>
                    ) : null,
                )}
                <span class="note">
                    100 % = {seconds(whole)} of {isFiltered ? "CPU time in the filter" : "CPU and idle time"}
                </span>
                {waits.length > 0 ? (
                    <span>
                        threads waited:{" "}
                        {waits
                            .slice(0, 4)
                            .map(([kind, value]) => `${waitName(kind)} ${seconds(value)}`)
                            .join(", ")}
                    </span>
                ) : null}
            </p>
        </div>
    );
}

function MemoryRow() {
    const { run, footprint } = shown.value;
    const python = run.peakMemory * run.peakPythonFraction;
    const place = run.peakPlace;
    return (
        <div class="verdict-row">
            <h3>Memory</h3>
            <MemoryBar python={python} native={run.peakMemory - python} scale={run.peakMemory} isWide />
            <p class="legend">
                <span>
                    <i class="key memory-python" /> Python <b>{megabytes(python)}</b>
                </span>
                {run.peakMemory - python >= NATIVE_MB ? (
                    <span>
                        <i class="key memory-native" /> native <b>{megabytes(run.peakMemory - python)}</b>
                    </span>
                ) : null}
                <span>
                    peak <b>{megabytes(run.peakMemory)}</b>
                    {place ? ` at ${shortPlace(place.file ?? "", place.line ?? 0)}` : ""}
                </span>
                {Number.isNaN(run.endMemory) ? null : <span>held at the end {megabytes(run.endMemory)}</span>}
                {run.copied > 0 ? <span>copied {megabytes(run.copied)}</span> : null}
                <span class="together">
                    {run.growthPercent > 0 ? (
                        <span class="note">growth {percent(run.growthPercent)} </span>
                    ) : null}
                    <Sparkline
                        time={footprint.time}
                        value={footprint.mb}
                        span={run.span}
                        scale={run.peakMemory}
                        width={80}
                    />
                </span>
            </p>
        </div>
    );
}

export function shortPlace(path: string, line: number): string {
    const file = shown.value.files.find((item) => item.path === path);
    return `${file ? file.name : path.slice(path.lastIndexOf("/") + 1)}:${line}`;
}
