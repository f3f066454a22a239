// SPDX-License-Identifier: Apache-2.0
// GPUs and other accelerators that the program used: how busy, with how much memory, and whose work that was.
import { type Fields, column, fields, list, number, text } from "./reader";

export interface Device {
    name: string;
    scope: string; // of busy: "process", "device" or "none"
    memoryScope: string;
    busy: number; // percent, of the time that it was in use
    peakMemory: number;
    totalMemory: number; // 0: not known
    // Steps: from a time on, how busy it was and how much memory was in use.
    time: Float64Array;
    busyAt: Float64Array;
    memoryAt: Float64Array;
}

const READING_S = 0.1;

/** A reading tells of the time before it; a step of the time after it. */
function stepped(table: Fields) {
    const count = list(table.t_s).length;
    const end = column(table, "t_s", count);
    const time = new Float64Array(count === 0 ? 0 : count + 1);
    if (count > 0) time[0] = Math.max(0, end[0] - (count > 1 ? Math.min(end[1] - end[0], 1) : READING_S));
    time.set(end, Math.min(1, count));
    const values = (name: string) => {
        const read = column(table, name, count);
        return time.map((_, index) => read[Math.min(index, count - 1)]);
    };
    return { time, busyAt: values("busy_percent"), memoryAt: values("mb") };
}

export function readDevice(value: unknown): Device {
    const device = fields(value);
    return {
        name: text(device.name) || text(device.vendor) || "accelerator",
        scope: text(device.scope, "none"),
        memoryScope: text(device.memory_scope, "none"),
        busy: number(device.busy_percent),
        peakMemory: number(device.peak_mb),
        totalMemory: number(device.total_mb),
        ...stepped(fields(device.samples)),
    };
}

/** The same of a profile's JSON, in the words of the viewer form. */
export function deviceForm(value: unknown): Fields {
    const device = fields(value);
    const samples = list(device.samples).map(list);
    const take = (place: number, scale: number) => samples.map((sample) => number(sample[place]) * scale);
    return {
        ...device,
        peak_mb: device.peak_memory_mb,
        total_mb: device.total_memory_mb,
        samples: { t_s: take(0, 1e-9), busy_percent: take(1, 1), mb: take(2, 1) },
    };
}

/** Whose work a figure is about. */
export function scopeWords(scope: string): string {
    switch (scope) {
        case "process":
            return "this program's work alone";
        case "device":
            return "the work of all processes of the machine";
        default:
            return "not measurable here";
    }
}
