// SPDX-License-Identifier: Apache-2.0
// Bars and sparklines. Text beside them always says the same: colour is never alone.

interface TimeBarProps {
    parts: number[]; // Python, native, system, idle
    scale: number; // what the full width stands for
    error?: number;
    isWide?: boolean;
}

const PART_NAMES = ["python", "native", "system", "waiting"];

export function TimeBar({ parts, scale, error = 0, isWide = false }: TimeBarProps) {
    const width = (value: number) => `${scale > 0 ? Math.min(100, (100 * value) / scale) : 0}%`;
    const end = parts.reduce((sum, part) => sum + part, 0);
    return (
        <span class={isWide ? "bar wide" : "bar"} aria-hidden="true">
            {parts.map((part, index) =>
                part > 0 ? <i key={index} class={PART_NAMES[index]} style={{ width: width(part) }} /> : null,
            )}
            {error > 0 && end > 0 ? (
                <b
                    class="whisker"
                    style={{ left: width(Math.max(0, end - error)), width: width(2 * error) }}
                />
            ) : null}
        </span>
    );
}

interface MemoryBarProps {
    python: number;
    native: number;
    held?: number; // a tick: what is held now
    scale: number;
    isWide?: boolean;
}

export function MemoryBar({ python, native, held, scale, isWide = false }: MemoryBarProps) {
    const width = (value: number) => `${scale > 0 ? Math.min(100, (100 * value) / scale) : 0}%`;
    return (
        <span class={isWide ? "bar wide" : "bar"} aria-hidden="true">
            {python > 0 ? <i class="memory-python" style={{ width: width(python) }} /> : null}
            {native > 0 ? <i class="memory-native" style={{ width: width(native) }} /> : null}
            {held !== undefined && held > 0 ? <b class="tick" style={{ left: width(held) }} /> : null}
        </span>
    );
}

interface SparklineProps {
    time: Float64Array;
    value: Float64Array;
    span: [number, number];
    scale: number;
    width?: number;
    height?: number;
}

export function Sparkline({ time, value, span, scale, width = 76, height = 18 }: SparklineProps) {
    if (time.length === 0 || scale <= 0) return null;
    const x = (moment: number) => ((moment - span[0]) / (span[1] - span[0] || 1)) * width;
    const y = (mb: number) => height - 1 - Math.min(1, mb / scale) * (height - 2);
    const points: string[] = [`${x(time[0]).toFixed(1)},${height}`];
    for (let index = 0; index < time.length; index++) {
        if (index > 0) points.push(`${x(time[index]).toFixed(1)},${y(value[index - 1]).toFixed(1)}`);
        points.push(`${x(time[index]).toFixed(1)},${y(value[index]).toFixed(1)}`);
    }
    points.push(`${width},${y(value[value.length - 1]).toFixed(1)}`, `${width},${height}`);
    return (
        <svg
            class="spark"
            width={width}
            height={height}
            viewBox={`0 0 ${width} ${height}`}
            aria-hidden="true"
        >
            <polygon points={points.join(" ")} />
        </svg>
    );
}
