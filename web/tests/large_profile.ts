// SPDX-License-Identifier: Apache-2.0
// A profile of a hundred thousand lines in two hundred files, of which one stands out, as `scalene run` would save it.

const FILES = 200;
const LINES = 500; // of each file
const STACKS = 50_000;
const THREADS = 8;

function linesOf(file: number): object[] {
    return Array.from({ length: LINES }, (_, index) => ({
        lineno: index + 1,
        line: `    value = work(${index})\n`,
        cpu_python_s: file === 0 && index === 7 ? 500 : 0.005,
    }));
}

const frame = (name: string, file: number, line: number) => ({
    display_name: name,
    filename_or_module: `/app/m${file}.py`,
    kind: "py",
    line,
});

/** Sample i is one millisecond of CPU time at i ms; stack n is a place of its own. */
function stacksOf(samples: number): object {
    const stack = (n: number) => [
        frame("<module>", 0, 1),
        frame(`g${n % 300}`, n % FILES, 1),
        frame(`f${n}`, n % FILES, 1 + (n % LINES)),
    ];
    return {
        combined_stacks: Array.from({ length: STACKS }, (_, n) => [stack(n), samples / STACKS]),
        combined_stacks_s: Array.from({ length: STACKS }, () => [0.015, 0.005, 0]),
        combined_stacks_start_s: 0,
        combined_stacks_timeline: Array.from({ length: samples }, (_, i) => ({
            count: 1,
            stack_index: i % STACKS,
            t_sec: i / 1000,
            thread_id: 1 + (i % THREADS),
        })),
        threads: Array.from({ length: THREADS }, (_, n) => ({
            thread_id: 1 + n,
            pid: 1,
            name: n === 0 ? "MainThread" : `worker-${n}`,
            start_s: 0,
            end_s: samples / 1000,
            cpu_python_s: samples / 1000 / THREADS,
        })),
    };
}

export function largeProfile(samples = 0): object {
    const files = Array.from({ length: FILES }, (_, file) => [
        `/app/m${file}.py`,
        { lines: linesOf(file), functions: [], leaks: {} },
    ]);
    return {
        format_version: 1,
        elapsed_time_sec: 1000,
        totals: { cpu_python_s: 1000 },
        quality: { cpu_samples: 100_000 },
        program: "/app/m0.py",
        files: Object.fromEntries(files),
        findings: [
            {
                id: "hot-line",
                severity: "high",
                weight: 0.5,
                sentence: "m0.py:8 took half of the time.",
                evidence: [],
                where: [{ file: "/app/m0.py", line: 8 }],
                how_measured: "Sampled.",
                next_step: "Do less.",
            },
        ],
        ...(samples > 0 ? stacksOf(samples) : {}),
    };
}
