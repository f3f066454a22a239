// SPDX-License-Identifier: Apache-2.0
// What was measured in a region, of the whole run, in the words of src/suggest/facts.c.
import type { Profile, Table } from "./profile";

const WAIT_LEAST_S = 0.001;
const MEMORY_LEAST_MB = 0.1;
const LINE_LEAST_PERCENT = 0.5;
const PARTS = ["python_s", "native_s", "system_s", "idle_s"];
const PART_NAMES = ["Python", "native", "system", "idle"];
const WAIT_WORDS: Record<string, string> = {
    gil: "for the GIL",
    lock: "for locks",
    sleep: "asleep",
    disk: "for the disk",
    network: "for network",
    pipe: "for pipes",
    child: "for children",
    gpu: "for the GPU",
    other: "for something else",
};

export function regionFacts(profile: Profile, rows: number[]): string[] {
    const region = new Region(profile.lines, rows);
    return [
        ...timeFacts(profile, region),
        ...waitFacts(region),
        ...(profile.run.hasMemory ? memoryFacts(profile, region) : []),
        ...gpuFacts(profile, region),
        ...lineFacts(profile, rows),
    ].map((fact) => `- ${fact}`);
}

/** Sums over some lines. */
class Region {
    constructor(
        readonly table: Table,
        readonly rows: number[],
    ) {}

    values(name: string): number[] {
        const column = this.table.columns[name];
        return column ? this.rows.map((row) => column[row]) : [];
    }

    sum(name: string): number {
        return this.values(name).reduce((sum, value) => sum + value, 0);
    }

    most(name: string): number {
        return Math.max(0, ...this.values(name));
    }

    /** Of half-widths of intervals: their errors are independent. */
    width(name: string): number {
        return Math.hypot(...this.values(name));
    }

    /** Each line's value counts as much as the line has of other numbers. */
    mean(name: string, weights: (Float64Array | undefined)[]): number {
        const weightOf = (row: number) => weights.reduce((sum, column) => sum + (column?.[row] ?? 0), 0);
        const whole = this.rows.reduce((sum, row) => sum + weightOf(row), 0);
        const sum = this.values(name).reduce((sum, value, at) => sum + value * weightOf(this.rows[at]), 0);
        return whole > 0 ? sum / whole : 0;
    }
}

function cpuOf({ columns }: Table): (Float64Array | undefined)[] {
    return [columns.python_s, columns.native_s, columns.system_s];
}

function duration(value: number): string {
    if (value < 0.0995) return value < 0.0005 ? "<1ms" : `${(value * 1000).toFixed(0)}ms`;
    if (value < 99.95) return `${value.toFixed(value < 9.995 ? 2 : 1)}s`;
    if (value < 999.5) return `${value.toFixed(0)}s`;
    return value < 59970 ? `${(value / 60).toFixed(0)}m` : `${(value / 3600).toFixed(0)}h`;
}

/** "75.0% +/- 2.9: 70% Python, 5% native": of the program's time. */
function share(profile: Profile, region: Region): string {
    const whole = profile.run.total || 1;
    const parts = PARTS.map((name) => (100 * region.sum(name)) / whole);
    const error = region.width("error_percent");
    const split = parts
        .map((part, index) =>
            part >= 0.05 ? `${part.toFixed(part >= 0.95 ? 0 : 1)}% ${PART_NAMES[index]}` : "",
        )
        .filter(Boolean)
        .join(", ");
    const sum = parts.reduce((one, other) => one + other, 0);
    return `${sum.toFixed(1)}%${error >= 0.05 ? ` +/- ${error.toFixed(1)}` : ""}${split ? `: ${split}` : ""}`;
}

function timeFacts(profile: Profile, region: Region): string[] {
    const { total, cores } = profile.run;
    const facts = [`time, of the program's ${duration(total)}: ${share(profile, region)}`];
    const use = region.mean("utilization", cpuOf(region.table));
    if (use > 0 && cores > 0) facts.push(`cores in use meanwhile: ${(100 * use).toFixed(0)}% of ${cores}`);
    return facts;
}

function waitFacts(region: Region): string[] {
    const facts: string[] = [];
    const waited = Object.entries(WAIT_WORDS).flatMap(([kind, words]) => {
        const column = region.table.waits[kind];
        const waited = column ? region.rows.reduce((sum, row) => sum + column[row], 0) : 0;
        return waited >= WAIT_LEAST_S ? [`${duration(waited)} ${words}`] : [];
    });
    if (waited.length > 0) facts.push(`threads waited here (measured): ${waited.join(", ")}`);
    const awaited = region.sum("await_s");
    if (awaited >= WAIT_LEAST_S) {
        const atOnce = region.mean("await_concurrency", [region.table.columns.await_s]);
        facts.push(`tasks awaited here: ${duration(awaited)}, ${atOnce.toFixed(1)} at once on average`);
    }
    return facts;
}

function memoryFacts(profile: Profile, region: Region): string[] {
    const facts: string[] = [];
    const mb = (value: number) => value.toFixed(1);
    const held = region.sum("at_peak_mb");
    const most = Math.max(region.most("peak_mb"), held);
    const allocated = region.sum("allocated_mb");
    const copied = region.sum("copied_mb");
    if (held >= MEMORY_LEAST_MB) {
        const error = mb(region.width("live_error_mb"));
        facts.push(
            `memory held at the program's peak: ${mb(held)} MB +/- ${error} of ${mb(profile.run.peakMemory)} MB`,
        );
    }
    if (most >= MEMORY_LEAST_MB) facts.push(`most memory held at once: ${mb(most)} MB`);
    if (allocated >= MEMORY_LEAST_MB) {
        const python = ((100 * region.sum("python_mb")) / allocated).toFixed(0);
        facts.push(
            `allocated in all: ${mb(allocated)} MB +/- ${mb(region.width("alloc_error_mb"))} in ` +
                `${region.sum("alloc_count").toFixed(0)} allocations, ${python}% through Python's allocators`,
        );
    }
    if (copied >= MEMORY_LEAST_MB) facts.push(`copied: ${mb(copied)} MB`);
    return facts;
}

/** Whose work it is, and that it is no part of the time above, has to be said with it. */
function gpuFacts({ devices }: Profile, region: Region): string[] {
    const seen = [...cpuOf(region.table), ...Object.values(region.table.waits)]; // a thread was there
    const most = region.most("gpu_peak_mb");
    const busy = region.mean("gpu_percent", seen);
    if (busy <= 0 && most <= 0) return [];
    const isWide = devices.some((device) => device.scope === "device");
    const whose = isWide ? ", of all processes of the machine" : "";
    const facts = [
        `GPU busy while a thread was here: ${busy.toFixed(0)}%${whose}; it need not be this code's work`,
    ];
    if (most >= MEMORY_LEAST_MB) {
        const average = region.mean("gpu_average_mb", seen).toFixed(1);
        facts.push(`GPU memory in use meanwhile: ${average} MB, at most ${most.toFixed(1)} MB`);
    }
    return facts;
}

function lineFacts(profile: Profile, rows: number[]): string[] {
    const { lines, run } = profile;
    const facts = rows.flatMap((row) => {
        const line = new Region(lines, [row]);
        const percent = PARTS.reduce((sum, name) => sum + (100 * line.sum(name)) / (run.total || 1), 0);
        const held = line.sum("peak_mb");
        if (percent < LINE_LEAST_PERCENT && held < MEMORY_LEAST_MB) return [];
        const memory = held >= MEMORY_LEAST_MB ? `; held at most ${held.toFixed(1)} MB` : "";
        return [`line ${lines.line[row]}: ${share(profile, line)}${memory}`];
    });
    return facts.length > 1 ? facts : [];
}
