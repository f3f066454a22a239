// SPDX-License-Identifier: Apache-2.0
// Numbers as text. A number is never left out because it is small: it is dimmed by the caller.

function digits(value: number): number {
    const size = Math.abs(value);
    return size >= 100 ? 0 : size >= 10 ? 1 : 2;
}

export function seconds(value: number): string {
    const size = Math.abs(value);
    if (size === 0) return "0 s";
    if (size < 0.5e-6) return "< 1 µs";
    if (size < 0.0005) return `${Math.round(value * 1e6)} µs`;
    if (size < 0.9995) return `${(value * 1000).toFixed(size < 0.00995 ? 1 : 0)} ms`;
    return `${value.toFixed(digits(value))} s`;
}

/** Seconds with a fixed unit, for moments on one axis. */
export function moment(value: number, span = 1): string {
    const places = span >= 100 ? 0 : span >= 10 ? 1 : span >= 1 ? 2 : 3;
    return `${value.toFixed(places)} s`;
}

export function percent(value: number): string {
    const size = Math.abs(value);
    if (size === 0) return "0 %";
    if (size < 0.05) return "< 0.1 %";
    return `${value.toFixed(size >= 99.95 ? 0 : 1)} %`;
}

export function megabytes(value: number): string {
    const size = Math.abs(value);
    if (size === 0) return "0 MB";
    if (size >= 1024 * 1024) return `${(value / 1024 / 1024).toFixed(1)} TB`;
    if (size >= 1000) return `${(value / 1024).toFixed(size >= 10240 ? 1 : 2)} GB`;
    if (size >= 1) return `${value.toFixed(size >= 10 ? 0 : 1)} MB`;
    if (size * 1024 >= 1) return `${(value * 1024).toFixed(0)} kB`;
    return "< 1 kB";
}

export function count(value: number): string {
    if (value >= 1e9) return `${(value / 1e9).toFixed(1)} G`;
    if (value >= 1e6) return `${(value / 1e6).toFixed(1)} M`;
    if (value >= 1e4) return `${(value / 1e3).toFixed(0)} k`;
    return Math.round(value).toLocaleString("en").replace(/,/g, "\u202f");
}

export function plural(value: number, noun: string): string {
    const many = /(s|x|ch)$/.test(noun) ? `${noun}es` : `${noun}s`;
    return `${count(value)} ${value === 1 ? noun : many}`;
}

/** Text from a profile, made safe to show: control and direction characters become visible signs. */
export function visible(text: string, limit = 400): string {
    const shown = text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "\ufffd");
    const plain = shown.replace(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "\u25ab");
    return plain.length > limit ? `${plain.slice(0, limit)}…` : plain;
}

/** A kind of waiting, as it is written. */
export function waitName(kind: string): string {
    return kind === "gil" || kind === "gpu" ? kind.toUpperCase() : kind;
}
