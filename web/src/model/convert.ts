// SPDX-License-Identifier: Apache-2.0
// Makes the viewer form of a profile as JSON (ours or the original's of any version), for files that are
// dropped on the page. The same form is made in C for pages that scalene writes or serves.
import { deviceForm } from "./device";
import { operatorForm } from "./operator";
import { type Fields, fields, list, number, text } from "./reader";
import { StackTable, Strings } from "./stack_table";

export interface Converted {
    form: Fields;
    sources: string[][]; // by file
}

interface Line {
    file: number;
    record: Fields;
}

export function isProfileJson(document: unknown): boolean {
    const profile = fields(document);
    return "files" in profile && ("elapsed_time_sec" in profile || "max_footprint_mb" in profile);
}

export function convert(document: unknown): Converted {
    const profile = fields(document);
    const strings = new Strings();
    const paths = Object.keys(fields(profile.files));
    const blocks = blocksOf(profile);
    const lines: Line[] = [];
    const functions: Line[] = [];
    const sources: string[][] = [];
    paths.forEach((path, file) => {
        const record = fields(fields(profile.files)[path]);
        const all = list(record.lines).map(fields);
        sources.push(sourceOf(all));
        const leaks = fields(record.leaks);
        for (const line of all.filter(hasData)) {
            const more = { ...blocks.get(`${path}:${number(line.lineno)}`) };
            lines.push({ file, record: { ...line, ...more, leak: leaks[String(line.lineno)] } });
        }
        for (const item of list(record.functions).map(fields)) functions.push({ file, record: item });
    });
    const isOurs = number(profile.format_version) > 0;
    const total = totalOf(profile, lines);
    const stacks = new StackTable(strings, new Set(paths));
    const threads = threadsOf(profile);
    const series: [number, number][] = [];
    const form: Fields = {
        form_version: 1,
        profile: describe(profile, isOurs),
        totals: totalsOf(profile, lines, total),
        verdict: { time: "", memory: null, receipt: "" },
        findings: list(profile.findings),
        findings_left_out: number(profile.findings_left_out),
        files: filesOf(paths, lines, total, strings, sources),
        rest: restOf(fields(profile.files_below_threshold)),
        lines: { ...numbersOf(lines, total, isOurs, series), ...placesOf(lines) },
        functions: {
            ...numbersOf(functions, total, isOurs, null),
            file: functions.map((item) => item.file),
            first_line: functions.map((item) => number(item.record.lineno)),
            name: functions.map((item) => strings.index(text(item.record.line))),
        },
        series: { t_s: [], mb: [] },
        footprint: pointsOf(list(profile.samples)),
        ...stacks.tablesOf(profile, threads, total.cpu),
        threads,
        processes: list(profile.processes).map((item) => ({
            ...fields(item),
            is_profiled: fields(item).profiled,
        })),
        gpu_devices: list(profile.gpu_devices).map(deviceForm),
        tasks: list(profile.async_tasks).map(taskOf),
        tasks_left_out: number(profile.async_tasks_left_out),
        operators: list(profile.trace_operators).map(operatorForm),
        operators_left_out: number(profile.trace_operators_left_out),
        quality: { ...fields(profile.quality) },
        missing: missingOf(profile, isOurs),
    };
    form.series = { t_s: series.map((point) => point[0]), mb: series.map((point) => point[1]) };
    form.strings = strings.all;
    return { form, sources };
}

/** The original writes <, > and & as six characters each. */
function sourceOf(lines: Fields[]): string[] {
    const plain = (line: string) =>
        line.replace(/\\u00(3c|3e|26)/g, (_, code: string) => String.fromCharCode(parseInt(code, 16)));
    const source: string[] = [];
    for (const line of lines) {
        const at = number(line.lineno) - 1;
        if (at >= 0 && at < 1_000_000) source[at] = plain(text(line.line)).replace(/\r?\n$/, "");
    }
    return Array.from(source, (line) => line ?? "");
}

const DATA = [
    "n_cpu_percent_python n_cpu_percent_c n_sys_percent n_peak_mb n_malloc_mb n_copy_mb_s n_gpu_percent",
    "n_async_await_percent live_at_end_mb n_gpu_peak_memory_mb nrt_time_ms nc_time_ms",
]
    .join(" ")
    .split(" ");

function hasData(line: Fields): boolean {
    return DATA.some((name) => number(line[name]) > 0) || Object.keys(fields(line.wait_s)).length > 0;
}

/** Lines that kept an event loop from everything else, by place. */
function blocksOf(profile: Fields): Map<string, Fields> {
    return new Map(
        list(profile.loop_blocks)
            .map(fields)
            .map((block) => [
                `${text(block.filename)}:${number(block.lineno)}`,
                {
                    loop_block_count: block.count,
                    loop_block_longest_s: block.longest_s,
                    loop_block_s: block.total_s,
                },
            ]),
    );
}

function taskOf(item: unknown): Fields {
    const task = fields(item);
    return {
        ...task,
        file: task.filename,
        line: task.lineno,
        creator_file: task.created_filename,
        creator_line: task.created_lineno,
        longest_s: task.longest_stretch_s,
        step_count: task.steps,
        has_ended: task.ended,
    };
}

interface Total {
    whole: number; // CPU and idle
    cpu: number;
}

/** What 100 % is in seconds: ours says so; of the original it is the elapsed time, at best. */
function totalOf(profile: Fields, lines: Line[]): Total {
    const totals = fields(profile.totals);
    const cpu = number(totals.cpu_python_s) + number(totals.cpu_native_s) + number(totals.cpu_system_s);
    if (cpu > 0) return { whole: cpu + number(totals.idle_s), cpu };
    const whole = number(profile.elapsed_time_sec);
    const busy = lines.reduce((sum, { record }) => sum + cpuPercent(record), 0);
    return { whole, cpu: (whole * Math.min(busy, 100)) / 100 };
}

function cpuPercent(record: Fields): number {
    return number(record.n_cpu_percent_python) + number(record.n_cpu_percent_c);
}

function describe(profile: Fields, isOurs: boolean): Fields {
    const command = list(profile.command);
    return {
        format_version: number(profile.format_version),
        scalene_version: text(profile.scalene_version),
        made_by: isOurs ? "" : "the original Scalene",
        program: text(profile.program),
        command: command.length > 0 ? command : [text(profile.program), ...list(profile.args).slice(1)],
        program_dir: text(profile.entrypoint_dir),
        python_version: text(profile.python_version),
        elapsed_s: number(profile.elapsed_time_sec),
        ended: fields(profile.ended),
        has_memory: profile.memory === true || number(profile.max_footprint_mb) > 0,
        system: fields(profile.system),
    };
}

function totalsOf(profile: Fields, lines: Line[], total: Total): Fields {
    const totals = fields(profile.totals);
    const share = (name: string) =>
        (lines.reduce((sum, { record }) => sum + number(record[name]), 0) / 100) * total.whole;
    const isKnown = number(totals.cpu_python_s) + number(totals.cpu_native_s) > 0;
    return {
        total_s: total.whole,
        cpu_s: total.cpu,
        python_s: isKnown ? number(totals.cpu_python_s) : share("n_cpu_percent_python"),
        native_s: isKnown ? number(totals.cpu_native_s) : share("n_cpu_percent_c"),
        system_s: isKnown ? number(totals.cpu_system_s) : share("n_sys_percent"),
        idle_s: number(totals.idle_s),
        ready_s: number(totals.ready_s),
        wait_s: fields(totals.wait_s),
        peak_mb: number(profile.max_footprint_mb),
        peak_python_fraction: number(profile.max_footprint_python_fraction),
        growth_percent: number(profile.growth_rate),
        peak_line: {
            file: Object.keys(fields(profile.files)).indexOf(text(profile.max_footprint_fname)),
            line: number(profile.max_footprint_lineno),
        },
        copied_mb: lines.reduce(
            (sum, { record }) => sum + copiedOf(record, number(profile.elapsed_time_sec)),
            0,
        ),
    };
}

function copiedOf(record: Fields, elapsed: number): number {
    return number(record.copy_mb, number(record.n_copy_mb_s) * elapsed);
}

function idleOf(record: Fields, total: Total, isOurs: boolean): number {
    if (!isOurs) return 0;
    return Math.max(0, (number(record.n_sys_percent) / 100) * total.whole - number(record.cpu_system_s));
}

function filesOf(
    paths: string[],
    lines: Line[],
    total: Total,
    strings: Strings,
    sources: string[][],
): Fields {
    const seconds = paths.map(() => 0);
    for (const { file, record } of lines) {
        seconds[file] += ((cpuPercent(record) + number(record.n_sys_percent)) / 100) * total.whole;
    }
    return {
        path: paths.map((path) => strings.index(path)),
        python_s: seconds,
        is_mine: paths.map(() => 1),
        source_lines: sources.map((source) => source.length),
    };
}

function restOf(rest: Fields): Fields {
    return {
        file_count: number(rest.count),
        percent: number(rest.percent_cpu_time),
        at_peak_mb: number(rest.live_at_peak_mb),
    };
}

/** Columns, and where in the profile's line record each is found. */
const COLUMNS: Record<string, string> = {
    error_percent: "error_percent",
    utilization: "n_core_utilization",
    allocated_mb: "n_malloc_mb",
    alloc_count: "alloc_count",
    alloc_error_mb: "alloc_error_mb",
    peak_mb: "n_peak_mb",
    average_mb: "n_avg_mb",
    at_peak_mb: "live_at_peak_mb",
    at_end_mb: "live_at_end_mb",
    live_error_mb: "live_error_mb",
    await_concurrency: "n_async_concurrency_mean",
    await_peak: "n_async_concurrency_peak",
    loop_block_count: "loop_block_count",
    loop_block_longest_s: "loop_block_longest_s",
    loop_block_s: "loop_block_s",
    gpu_percent: "n_gpu_percent",
    gpu_average_mb: "n_gpu_avg_memory_mb",
    gpu_peak_mb: "n_gpu_peak_memory_mb",
    nrt_percent: "nrt_percent",
    nc_time_ms: "nc_time_ms",
};

function numbersOf(rows: Line[], total: Total, isOurs: boolean, series: [number, number][] | null): Fields {
    const records = rows.map((row) => row.record);
    const ofPercent = (share: string, seconds: string) =>
        records.map((record) => number(record[seconds], (number(record[share]) / 100) * total.whole));
    const columns: Fields = {
        python_s: ofPercent("n_cpu_percent_python", "cpu_python_s"),
        native_s: ofPercent("n_cpu_percent_c", "cpu_native_s"),
        system_s: ofPercent("n_sys_percent", "cpu_system_s"),
        idle_s: records.map((record) => idleOf(record, total, isOurs)),
        copied_mb: records.map((record) => copiedOf(record, total.whole)),
        python_mb: records.map((record) => number(record.n_malloc_mb) * number(record.n_python_fraction)),
        leak_likelihood: records.map((record) => number(fields(record.leak).likelihood)),
        leak_mb_s: records.map((record) => number(fields(record.leak).velocity_mb_s)),
    };
    for (const [name, key] of Object.entries(COLUMNS)) {
        if (records.some((record) => number(record[key]) > 0))
            columns[name] = records.map((record) => number(record[key]));
    }
    for (const kind of new Set(records.flatMap((record) => Object.keys(fields(record.wait_s))))) {
        columns[`wait_${kind}_s`] = records.map((record) => number(fields(record.wait_s)[kind]));
    }
    if (records.some((record) => number(record.cpu_samples_total_count) > 0))
        columns.device_unused_percent = records.map(unusedOf);
    const awaits = records.map((record) =>
        number(record.await_s, (number(record.n_async_await_percent) / 100) * total.whole),
    );
    if (awaits.some((value) => value > 0)) columns.await_s = awaits;
    if (series) addSeries(records, series, columns);
    return columns;
}

/** Of a line that Neuron's tool has matched with its device: the part of its samples without it. */
function unusedOf(record: Fields): number {
    const isKnown = number(record.cpu_samples_total_count) > 0;
    return isKnown ? Math.max(0, 100 - number(record.cpu_samples_nc_overlap_percent)) : 0;
}

function addSeries(records: Fields[], series: [number, number][], columns: Fields): void {
    const starts: number[] = [];
    const counts: number[] = [];
    for (const record of records) {
        starts.push(series.length);
        const points = pointsOf(list(record.memory_samples));
        points.t_s.forEach((time, index) => series.push([time, points.mb[index]]));
        counts.push(points.t_s.length);
    }
    columns.series_start = starts;
    columns.series_count = counts;
}

function pointsOf(samples: unknown[]): { t_s: number[]; mb: number[] } {
    const points = samples.map((point) => [number(list(point)[0]) / 1e9, number(list(point)[1])]);
    points.sort((one, other) => one[0] - other[0]);
    return { t_s: points.map((point) => point[0]), mb: points.map((point) => point[1]) };
}

function placesOf(lines: Line[]): Fields {
    const take = (name: string) => lines.map(({ record }) => number(record[name]));
    return {
        file: lines.map((line) => line.file),
        number: take("lineno"),
        function_first: take("start_function_line"),
        function_last: take("end_function_line"),
        region_first: take("start_region_line"),
        region_last: take("end_region_line"),
        loop_first: take("start_outermost_loop"),
        loop_last: take("end_outermost_loop"),
    };
}

function threadsOf(profile: Fields): Fields[] {
    const known = list(profile.threads).map(fields);
    if (known.length > 0) return known.map((thread) => ({ ...thread, ...renamed(thread, profile) }));
    const ids = list(profile.combined_stacks_timeline).map((run) => String(fields(run).thread_id ?? 0));
    const main = String(profile.main_thread_id ?? ids[0] ?? 0);
    return [...new Set([main, ...ids])].slice(0, 5000).map((id) => ({
        id,
        name: id === main ? "MainThread" : `thread ${id}`,
        is_main: id === main,
        end_s: number(profile.elapsed_time_sec),
    }));
}

function renamed(thread: Fields, profile: Fields): Fields {
    return {
        id: String(thread.thread_id),
        is_main: thread.thread_id === profile.main_thread_id,
        python_s: thread.cpu_python_s,
        native_s: thread.cpu_native_s,
        system_s: thread.cpu_system_s,
    };
}

function missingOf(profile: Fields, isOurs: boolean): Fields[] {
    const missing: Fields[] = [];
    const note = (what: string, why: string) => missing.push({ what, why });
    if (profile.memory === false) note("memory", "Memory was not profiled in this run.");
    if (profile.gpu !== true) note("gpu", "No GPU was measured in this run.");
    if (profile.async_profile !== true) note("async", "Await times were not measured in this run.");
    if (!isOurs) {
        note("waits", "The original Scalene does not tell waiting from system time: 'system' holds both.");
        note("errors", "The original Scalene does not state errors.");
        note(
            "findings",
            "Findings are computed by scalene, not by this page, and the original does not write any. To have them, run: scalene view FILE",
        );
    }
    if (list(profile.combined_stacks).length === 0) note("stacks", "This profile has no call stacks.");
    return missing;
}
