// SPDX-License-Identifier: Apache-2.0
// Viewer forms of any size with known answers, for tests. Sample i is one millisecond of CPU time at i ms.

export interface Size {
    lines?: number;
    samples?: number;
    threads?: number;
    depth?: number;
    stacks?: number;
    names?: string[]; // of functions, instead of f0, f1, ...
    path?: string;
}

/** The source of a synthetic program. */
export const numbered = Array.from({ length: 40 }, (_, n) => `value_${n + 1} = step(${n + 1})`).join("\n");

/** Line n of the file is charged by stack n; stack n takes the samples i with i % stacks == n. */
export function synthetic(size: Size = {}) {
    const { lines = 20, samples = 1000, threads = 2, depth = 3, names, path = "/app/main.py" } = size;
    const stackCount = size.stacks ?? Math.min(lines, 1000);
    const strings = [
        "",
        path,
        ...Array.from({ length: stackCount }, (_, n) => names?.[n] ?? `f${n}`),
        "root",
    ];
    const rootName = strings.length - 1;
    const frames = {
        name: [rootName, ...range(stackCount).map((n) => n + 2)],
        file: range(stackCount + 1).map(() => 1),
        line: [1, ...range(stackCount).map((n) => n + 1)],
        kind: range(stackCount + 1).map(() => 0),
        is_mine: range(stackCount + 1).map(() => 1),
    };
    const stacks = { parent: [-1], frame: [0] };
    const leaves: number[] = [];
    for (let n = 0; n < stackCount; n++) {
        let parent = 0;
        for (let level = 1; level < depth; level++) {
            stacks.parent.push(parent);
            stacks.frame.push(n + 1);
            parent = stacks.parent.length - 1;
        }
        leaves.push(parent);
    }
    const each = 0.001;
    const seconds = range(lines).map((n) => (n < stackCount ? (each * samples) / stackCount : 0.0001));
    return {
        form_version: 1,
        profile: {
            format_version: 1,
            scalene_version: "3.0.0",
            program: path,
            command: ["python3", path],
            elapsed_s: samples * each,
            ended: { how: "exit", status: 0 },
            has_memory: true,
        },
        totals: {
            total_s: samples * each,
            python_s: samples * each * 0.75,
            native_s: samples * each * 0.25,
            system_s: 0,
            idle_s: 0,
            wait_s: { gil: 2 },
            peak_mb: 100,
            peak_python_fraction: 0.5,
        },
        verdict: { time: "", memory: "", receipt: "" },
        findings: [
            {
                id: "hot-line",
                severity: "high",
                sentence: "main.py:1 took the time",
                evidence: [{ label: "share", value: 50, unit: "%", error: 2 }],
                where: [{ file: path, line: 1, function: "f0", thread: null }],
                how_measured: "by samples",
                next_step: "look at it",
            },
        ],
        findings_left_out: 0,
        strings,
        files: { path: [1], python_s: [samples * each], is_mine: [1], source_lines: [lines] },
        rest: { file_count: 0, percent: 0, at_peak_mb: 0 },
        lines: {
            file: range(lines).map(() => 0),
            number: range(lines).map((n) => n + 1),
            python_s: seconds.map((value) => value * 0.75),
            native_s: seconds.map((value) => value * 0.25),
            system_s: range(lines).map(() => 0),
            idle_s: range(lines).map(() => 0),
            error_percent: range(lines).map(() => 0.5),
            wait_gil_s: range(lines).map((n) => (n === 0 ? 2 : 0)),
            peak_mb: range(lines).map((n) => (n === 1 ? 100 : 0)),
            at_peak_mb: range(lines).map((n) => (n === 1 ? 100 : 0)),
            at_end_mb: range(lines).map((n) => (n === 1 ? 50 : 0)),
            leak_likelihood: range(lines).map((n) => (n === 1 ? 0.97 : 0)),
            leak_mb_s: range(lines).map((n) => (n === 1 ? 5 : 0)),
            series_start: range(lines).map(() => 0),
            series_count: range(lines).map((n) => (n === 1 ? 2 : 0)),
            function_first: range(lines).map((n) => n + 1),
            function_last: range(lines).map((n) => n + 1),
        },
        functions: {
            file: range(stackCount).map(() => 0),
            name: range(stackCount).map((n) => n + 2),
            first_line: range(stackCount).map((n) => n + 1),
            python_s: range(stackCount).map((n) => seconds[n]),
        },
        series: { t_s: [0, samples * each], mb: [0, 100] },
        footprint: { t_s: [0, samples * each], mb: [1, 100] },
        frames,
        stacks,
        stack_times: {
            stack: leaves,
            hits: leaves.map(() => samples / stackCount),
            python_s: leaves.map(() => 3),
            native_s: leaves.map(() => 1),
            system_s: leaves.map(() => 0),
        },
        samples: {
            t_us: range(samples).map((i) => (i === 0 ? 0 : 1000)),
            thread: range(samples).map((i) => i % threads),
            stack: range(samples).map((i) => leaves[i % stackCount]),
            count: range(samples).map(() => 1),
            weight_s: each,
            first_s: 0,
        },
        memory_stacks: { stack: [leaves[1]], allocated_mb: [200] },
        threads: range(threads).map((n) => ({
            pid: 1,
            id: String(n),
            name: n === 0 ? "MainThread" : `worker-${n}`,
            start_s: 0,
            end_s: samples * each,
            python_s: 1,
            native_s: 0,
            system_s: 0,
            wait_s: n === 0 ? {} : { gil: 2 },
            is_main: n === 0,
            is_idle: n > 3,
        })),
        processes: [
            {
                pid: 1,
                parent_pid: 0,
                command: ["python3", path],
                start_s: 0,
                end_s: 1,
                cpu_s: 1,
                is_profiled: true,
            },
        ],
        quality: { cpu_samples: samples, cpu_samples_lost: 0, notes: [] },
        missing: [{ what: "gpu", why: "No GPU was measured." }],
    };
}

function range(count: number): number[] {
    return Array.from({ length: count }, (_, index) => index);
}
