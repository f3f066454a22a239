// SPDX-License-Identifier: Apache-2.0
// Reads the viewer form (docs/viewer-form.md) into a profile. The form may come from anywhere: what is
// broken in it becomes empty, never an exception from deep inside a panel.
import { readDevice } from "./device";
import { readOperator } from "./operator";
import { plural } from "./quantity";
import { type Fields, column, fields, indices, list, number, secondsByKind, text } from "./reader";
import {
    type Finding,
    type Frames,
    type FunctionNames,
    GROUPS,
    type Process,
    type Profile,
    type Run,
    type SourceFile,
    type Stacks,
    type Table,
    type Task,
    type Thread,
    shortNames,
} from "./profile";
import { tellApart } from "./thread_names";

const NEWEST_FORM = 1;
/** What no form of this version can say. */
const UNTIMED = {
    "waiting over time":
        "A profile has what lines and threads waited as sums: a selected time reaches CPU time only, and the tracks GIL and I/O show work on the CPU.",
    "memory over time":
        "A profile has what lines held over time as curves, and the rest of memory as sums: a selected time does not reach them.",
};

export function readForm(document: unknown): Profile {
    const form = fields(document);
    const version = number(form.form_version, -1);
    if (version < 1) throw new Error("This is not a profile: it has no form_version.");
    if (version > NEWEST_FORM) {
        throw new Error(
            `This page reads form ${NEWEST_FORM}, the profile is in form ${version}: use a newer scalene.`,
        );
    }
    const strings = list(form.strings).map((value) => text(value));
    const files = readFiles(fields(form.files), strings);
    const threads = tellApart(list(form.threads).map(readThread));
    const { frames, functionNames } = readFrames(fields(form.frames), strings);
    const stacks = readStacks(fields(form.stacks), frames.line.length);
    const run = readRun(form, files, threads);
    return {
        run,
        files,
        filesLeftOut: readRest(fields(form.rest)),
        frames,
        functionNames,
        stacks,
        split: readSplit(fields(form.stack_times), stacks, frames),
        samples: readSamples(fields(form.samples), threads, stacks, run.span[0]),
        lines: readTable(fields(form.lines), files, strings),
        functions: readTable(fields(form.functions), files, strings),
        memoryStacks: readMemoryStacks(fields(form.memory_stacks), stacks),
        series: readSeries(fields(form.series)),
        footprint: readSeries(fields(form.footprint)),
        threads,
        processes: list(form.processes).map(readProcess),
        devices: list(form.gpu_devices).map(readDevice),
        tasks: list(form.tasks).map(readTask),
        tasksLeftOut: number(form.tasks_left_out),
        operators: list(form.operators).map(readOperator),
        operatorsLeftOut: number(form.operators_left_out),
        findings: list(form.findings).slice(0, 100).map(readFinding),
        findingsLeftOut: number(form.findings_left_out),
    };
}

function lengthOf(table: Fields, name: string): number {
    return list(table[name]).length;
}

function readFiles(table: Fields, strings: string[]): SourceFile[] {
    const count = lengthOf(table, "path");
    const paths = Array.from(indices(table, "path", count, strings.length), (index) => strings[index] ?? "");
    const names = shortNames(paths);
    const parts = ["python_s", "native_s", "system_s", "idle_s"].map((name) => column(table, name, count));
    const isMine = column(table, "is_mine", count);
    const lines = column(table, "source_lines", count);
    return paths.map((path, index) => ({
        path,
        name: names[index],
        seconds: parts.reduce((sum, part) => sum + part[index], 0),
        isMine: isMine[index] === 1,
        sourceLines: lines[index],
    }));
}

function readRest(rest: Fields) {
    return { count: number(rest.file_count), percent: number(rest.percent), mb: number(rest.at_peak_mb) };
}

function readFrames(table: Fields, strings: string[]): { frames: Frames; functionNames: FunctionNames } {
    const count = lengthOf(table, "name");
    const nameIndex = indices(table, "name", count, strings.length);
    const fileIndex = indices(table, "file", count, strings.length);
    const isNative = new Uint8Array(indices(table, "kind", count, 2));
    const isMine = new Uint8Array(indices(table, "is_mine", count, 2));
    const known = new Map<number, number>();
    const first = new Int32Array(strings.length).fill(-1); // function of a name: most names have one
    const names = {
        name: [] as string[],
        file: [] as string[],
        native: [] as number[],
        mine: [] as number[],
    };
    const fileOf: number[] = []; // of a function, as a string
    const numbers = new Int32Array(count);
    for (let frame = 0; frame < count; frame++) {
        const file = fileIndex[frame];
        const same = first[nameIndex[frame]];
        const key = nameIndex[frame] * strings.length + file;
        let fn = same >= 0 && fileOf[same] === file ? same : same < 0 ? undefined : known.get(key);
        if (fn === undefined) {
            fn = names.name.push(strings[nameIndex[frame]] || "(no name)") - 1;
            names.file.push(strings[file] ?? "");
            names.native.push(isNative[frame]);
            names.mine.push(isMine[frame]);
            fileOf.push(file);
            if (same < 0) first[nameIndex[frame]] = fn;
            else known.set(key, fn);
        }
        numbers[frame] = fn;
    }
    const line = new Int32Array(column(table, "line", count));
    return {
        frames: { line, isNative, isMine, function: numbers },
        functionNames: {
            name: names.name,
            file: names.file,
            isNative: Uint8Array.from(names.native),
            isMine: Uint8Array.from(names.mine),
        },
    };
}

function readStacks(table: Fields, frames: number): Stacks {
    const count = frames === 0 ? 0 : lengthOf(table, "parent");
    const parent = indices(table, "parent", count, count, -1);
    for (let stack = 0; stack < count; stack++) if (parent[stack] >= stack) parent[stack] = -1;
    return { parent, frame: indices(table, "frame", count, frames) };
}

/** Where the profile does not divide a stack's time, the innermost frame tells its kind. */
function readSplit(table: Fields, stacks: Stacks, frames: Frames): Float32Array[] {
    const nodes = stacks.parent.length;
    const split = GROUPS.map(() => new Float32Array(nodes));
    for (let node = 0; node < nodes; node++) split[frames.isNative[stacks.frame[node]]][node] = 1;
    const count = Array.isArray(table.python_s) ? lengthOf(table, "stack") : 0;
    const stack = indices(table, "stack", count, nodes, -1);
    const parts = GROUPS.map((group) => column(table, `${group}_s`, count));
    for (let row = 0; row < count; row++) {
        const whole = parts[0][row] + parts[1][row] + parts[2][row];
        if (stack[row] < 0 || whole <= 0) continue;
        parts.forEach((part, group) => (split[group][stack[row]] = part[row] / whole));
    }
    return split;
}

/** Of one sample: a million of them still add up exactly. */
const MOST_COUNTS = 2 ** 32;

function readSamples(table: Fields, threads: Thread[], stacks: Stacks, start: number) {
    const isWhole = threads.length > 0 && stacks.parent.length > 0;
    const count = isWhole ? lengthOf(table, "t_us") : 0;
    const time = column(table, "t_us", count);
    const counts = column(table, "count", count);
    let at = number(table.first_s, start);
    for (let index = 0; index < count; index++) {
        at += Math.max(0, time[index]) / 1e6;
        time[index] = at;
        counts[index] = Math.min(MOST_COUNTS, Math.max(0, Math.round(counts[index])));
    }
    const thread = new Uint16Array(indices(table, "thread", count, Math.min(threads.length, 65536)));
    const stack = indices(table, "stack", count, stacks.parent.length);
    return { time, count: counts, each: Math.max(0, number(table.weight_s)), thread, stack };
}

const PLACES = ["file", "number", "first_line", "name", "series_start", "series_count"];

function readTable(table: Fields, files: SourceFile[], strings: string[]): Table {
    const count = files.length === 0 ? 0 : lengthOf(table, "file");
    const names = Object.keys(table).filter((name) => !PLACES.includes(name) && Array.isArray(table[name]));
    const waits = names.filter((name) => /^wait_\w+_s$/.test(name));
    const line = column(table, Array.isArray(table.number) ? "number" : "first_line", count);
    const name = Array.isArray(table.name) ? indices(table, "name", count, strings.length) : [];
    return {
        count,
        file: indices(table, "file", count, files.length),
        line: new Int32Array(line),
        name: Array.from(name, (index) => strings[index] ?? ""),
        columns: Object.fromEntries(
            names.filter((name) => !waits.includes(name)).map((name) => [name, column(table, name, count)]),
        ),
        waits: Object.fromEntries(waits.map((name) => [name.slice(5, -2), column(table, name, count)])),
        seriesStart: new Int32Array(column(table, "series_start", count)),
        seriesCount: new Int32Array(column(table, "series_count", count)),
    };
}

function readMemoryStacks(table: Fields, stacks: Stacks) {
    const count = stacks.parent.length === 0 ? 0 : lengthOf(table, "stack");
    return {
        stack: indices(table, "stack", count, stacks.parent.length),
        allocated: column(table, "allocated_mb", count),
    };
}

function readSeries(table: Fields) {
    const count = lengthOf(table, "t_s");
    return { time: column(table, "t_s", count), mb: column(table, "mb", count) };
}

function readThread(value: unknown): Thread {
    const thread = fields(value);
    const name = text(thread.name) || `thread ${String(thread.id ?? "?")}`;
    return {
        pid: number(thread.pid),
        id: String(thread.id ?? ""),
        name,
        plainName: name,
        isMain: thread.is_main === true,
        isIdle: thread.is_idle === true,
        start: number(thread.start_s),
        end: number(thread.end_s),
        cpu: [number(thread.python_s), number(thread.native_s), number(thread.system_s)],
        waits: secondsByKind(thread.wait_s),
    };
}

function sayEnded(value: unknown): string {
    const ended = fields(value);
    const status = number(ended.status);
    switch (ended.how) {
        case "exit":
            return status === 0 ? "" : `ended with status ${status}`;
        case "signal":
            return `ended by signal ${status}`;
        case "running":
            return "still running";
        default:
            return "";
    }
}

function readProcess(value: unknown): Process {
    const process = fields(value);
    return {
        pid: number(process.pid),
        parent: number(process.parent_pid),
        command: list(process.command).map(String).join(" "),
        python: text(process.python_version),
        start: number(process.start_s),
        end: number(process.end_s),
        ended: sayEnded(process.ended),
        cpu: number(process.cpu_s),
        peakMemory: number(process.peak_rss_mb),
        whyNot: process.is_profiled === false ? text(process.why_not) || "not profiled" : "",
    };
}

function readTask(value: unknown): Task {
    const task = fields(value);
    const place = (file: string, line: string) => ({
        file: text(task[file]) || undefined,
        line: number(task[line]) || undefined,
    });
    return {
        name: text(task.name),
        coroutine: text(task.coroutine),
        place: place("file", "line"),
        madeAt: place("creator_file", "creator_line"),
        pid: number(task.pid),
        cpu: number(task.cpu_s),
        awaited: number(task.await_s),
        longest: number(task.longest_s),
        steps: number(task.step_count),
        hasEnded: task.has_ended === true,
    };
}

function readFinding(value: unknown): Finding {
    const finding = fields(value);
    return {
        id: text(finding.id),
        severity: text(finding.severity, "info"),
        sentence: text(finding.sentence),
        evidence: list(finding.evidence).map((item) => {
            const evidence = fields(item);
            return {
                label: text(evidence.label),
                value: number(evidence.value),
                unit: text(evidence.unit),
                error: number(evidence.error, NaN),
            };
        }),
        where: list(finding.where).map((item) => {
            const place = fields(item);
            return {
                file: text(place.file) || undefined,
                line: number(place.line) || undefined,
                function: text(place.function) || undefined,
                thread: text(place.thread) || undefined,
            };
        }),
        howMeasured: text(finding.how_measured),
        nextStep: text(finding.next_step),
    };
}

function readRun(form: Fields, files: SourceFile[], threads: Thread[]): Run {
    const profile = fields(form.profile);
    const totals = fields(form.totals);
    const elapsed = number(profile.elapsed_s);
    const start = threads.reduce(
        (first, thread) => Math.min(first, thread.start),
        threads.length ? Infinity : 0,
    );
    const end = threads.reduce((last, thread) => Math.max(last, thread.end), start + elapsed);
    const quality = fields(form.quality);
    const verdict = fields(form.verdict);
    const peakLine = fields(totals.peak_line);
    const peakFile = files[number(peakLine.file, -1)];
    const missing = list(form.missing).map(fields);
    const system = fields(profile.system);
    const cores = number(system.cpus);
    const whatRan = [
        text(profile.scalene_version) && `scalene ${text(profile.scalene_version)}`,
        text(profile.python_version) && `Python ${text(profile.python_version)}`,
        text(system.kernel) && `${text(system.os)} ${text(system.kernel)}`,
        cores > 0 && plural(cores, "core"),
    ];
    return {
        program: text(profile.program),
        directory: text(profile.program_dir),
        command: list(profile.command).map(String).join(" "),
        elapsed,
        cpu: [number(totals.python_s), number(totals.native_s), number(totals.system_s)],
        idle: number(totals.idle_s),
        ready: number(totals.ready_s),
        total: number(totals.total_s),
        span: [start, Math.max(end, start + 1e-6)],
        waits: secondsByKind(totals.wait_s),
        ended: sayEnded(profile.ended),
        isRunning: fields(profile.ended).how === "running",
        peakMemory: number(totals.peak_mb),
        peakPythonFraction: number(totals.peak_python_fraction),
        peakPlace: peakFile ? { file: peakFile.path, line: number(peakLine.line) } : null,
        endMemory: number(totals.at_end_mb, NaN),
        growthPercent: number(totals.growth_percent),
        copied: number(totals.copied_mb),
        allocated: number(totals.allocated_mb),
        python: text(profile.python_version),
        cores,
        versions: whatRan.filter(Boolean).join(", "),
        quality: Object.fromEntries(Object.entries(quality).map(([key, value]) => [key, number(value)])),
        notes: list(quality.notes).map(String),
        verdict: { time: text(verdict.time), memory: text(verdict.memory), receipt: text(verdict.receipt) },
        hasMemory: profile.has_memory === true,
        missing: {
            ...UNTIMED,
            ...Object.fromEntries(missing.map((item) => [text(item.what), text(item.why)])),
        },
        madeBy: number(profile.format_version) === 0 ? text(profile.made_by, "the original Scalene") : "",
    };
}
