// SPDX-License-Identifier: Apache-2.0
// A line's numbers as labelled text: what every picture of it is drawn from.
import type { Profile } from "./profile";
import { count, megabytes, percent, seconds, waitName } from "./quantity";
import type { Rows } from "./rows";

type Fact = [string, string];

export function lineFacts(profile: Profile, rows: Rows, row: number): Fact[] {
    return [...timeFacts(rows, row), ...memoryFacts(profile, rows, row), ...otherFacts(rows, row)];
}

function timeFacts(rows: Rows, row: number): Fact[] {
    const whole = rows.whole || 1;
    const amount = (value: number) => `${seconds(value)} (${percent((100 * value) / whole)})`;
    const facts: Fact[] = [];
    const error = rows.error[row] > 0 ? ` ± ${seconds(rows.error[row])}` : "";
    facts.push([
        "time",
        `${seconds(rows.time[row])}${error}, ${percent((100 * rows.time[row]) / whole)} of ${seconds(rows.whole)}`,
    ]);
    ["Python", "native", "system", "idle"].forEach((name, part) => {
        if (rows.parts[part][row] > 0) facts.push([name, amount(rows.parts[part][row])]);
    });
    for (const [kind, column] of Object.entries(rows.table.waits)) {
        if (column[row] > 0)
            facts.push([
                `waited: ${waitName(kind)}`,
                `${seconds(column[row])}${kind === "gpu" ? "" : ", exact"}`,
            ]);
    }
    return facts;
}

function memoryFacts(profile: Profile, rows: Rows, row: number): Fact[] {
    const { columns } = rows.table;
    const value = (name: string) => columns[name]?.[row] ?? 0;
    const facts: Fact[] = [];
    const add = (label: string, name: string, more = "") => {
        if (value(name) > 0) facts.push([label, megabytes(value(name)) + more]);
    };
    const held = value("live_error_mb") > 0 ? ` ± ${megabytes(value("live_error_mb"))}` : "";
    add("peak memory", "peak_mb");
    add("at the program's peak", "at_peak_mb", held);
    add("at the end", "at_end_mb", held);
    add("on average", "average_mb");
    const times = value("alloc_count") > 0 ? ` in ${count(value("alloc_count"))} blocks` : "";
    add("allocated", "allocated_mb", times);
    if (value("allocated_mb") > 0) {
        facts.push(["by Python's allocators", percent((100 * value("python_mb")) / value("allocated_mb"))]);
    }
    const rate = value("copied_mb") / (profile.run.elapsed || 1);
    add("copied", "copied_mb", `, ${megabytes(rate)}/s`);
    if (value("leak_likelihood") > 0) {
        facts.push([
            "leak",
            `likelihood ${percent(100 * value("leak_likelihood"))}, ${megabytes(value("leak_mb_s"))}/s`,
        ]);
    }
    return facts;
}

function otherFacts(rows: Rows, row: number): Fact[] {
    const { columns } = rows.table;
    const value = (name: string) => columns[name]?.[row] ?? 0;
    const facts: Fact[] = [];
    if (value("await_s") > 0) {
        const atOnce = value("await_concurrency");
        const peak = value("await_peak") > 1 ? `, ${count(value("await_peak"))} at most` : "";
        facts.push(["awaited, all tasks", `${seconds(value("await_s"))}, exact`]);
        if (atOnce > 0) facts.push(["tasks waiting at once", `${atOnce.toFixed(1)} on average${peak}`]);
    }
    if (value("loop_block_s") > 0) {
        const times = value("loop_block_count");
        const longest = times > 1 ? `, ${seconds(value("loop_block_longest_s"))} at the longest` : "";
        facts.push(["kept the event loop", `${seconds(value("loop_block_s"))} in ${count(times)}${longest}`]);
    }
    if (value("gpu_percent") > 0 || value("gpu_peak_mb") > 0) {
        facts.push(["GPU busy meanwhile", percent(value("gpu_percent"))]);
        const average = value("gpu_average_mb");
        const onAverage = average > 0 ? `, ${megabytes(average)} on average` : "";
        facts.push(["GPU memory", `${megabytes(value("gpu_peak_mb"))} at most${onAverage}`]);
    }
    if (value("utilization") > 0) facts.push(["use of the cores", percent(100 * value("utilization"))]);
    if (value("region_last") > value("region_first")) {
        facts.push(["region", `lines ${value("region_first")} to ${value("region_last")}`]);
    }
    if (value("loop_last") > value("loop_first")) {
        facts.push(["outermost loop", `lines ${value("loop_first")} to ${value("loop_last")}`]);
    }
    return facts;
}
