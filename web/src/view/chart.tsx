// SPDX-License-Identifier: Apache-2.0
// Curves over time, drawn by uPlot. The chart is a picture: what it says stands in a table beside it.
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { theme } from "./theme";

export interface Curve {
    label: string;
    values: Float64Array | (number | null)[];
    stroke: string; // name of a colour variable
    fill?: string;
    isStepped?: boolean;
}

interface ChartProps {
    height: number;
    time: Float64Array | number[];
    curves: Curve[]; // of a stacked chart: cumulative, the highest first
    span: [number, number];
    say: (value: number) => string;
    hasTimeAxis?: boolean;
    most?: number; // the upper end of the scale, if it does not follow the curves
}

export const AXIS_WIDTH = 76;
/** A label nearer than this part of the axis to its end would be cut off. */
const END_PART = 0.025;

function colour(name: string): string {
    return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim() || "#888";
}

function timeLabel(tick: number, [from, to]: [number, number]): string {
    return to - tick < END_PART * (to - from) ? "" : `${Number(tick.toFixed(3))} s`;
}

function optionsOf(props: ChartProps, width: number): uPlot.Options {
    const axis = {
        stroke: colour("dim"),
        grid: { stroke: colour("rule"), width: 1 },
        ticks: { show: false },
    };
    const stepped = uPlot.paths.stepped?.({ align: 1 });
    return {
        width,
        height: props.height,
        legend: { show: false },
        cursor: { show: false },
        padding: [6, 0, props.hasTimeAxis ? 0 : 4, 0],
        scales: {
            x: { time: false, range: () => props.span },
            y: { range: (_, __, most) => [0, (props.most ?? most) * 1.05 || 1] },
        },
        axes: [
            {
                ...axis,
                show: props.hasTimeAxis ?? false,
                size: 22,
                font: "11px system-ui",
                values: (_, ticks) => ticks.map((tick) => timeLabel(tick, props.span)),
            },
            {
                ...axis,
                size: AXIS_WIDTH,
                font: "11px system-ui",
                space: 18,
                values: (_, ticks) => ticks.map(props.say),
            },
        ],
        series: [
            {},
            ...props.curves.map((curve) => ({
                label: curve.label,
                stroke: colour(curve.stroke),
                fill: curve.fill ? colour(curve.fill) : undefined,
                width: 1,
                points: { show: false },
                paths: curve.isStepped ? stepped : undefined,
            })),
        ],
    };
}

export function Chart(props: ChartProps) {
    const place = useRef<HTMLDivElement>(null);
    const isDark = theme.value;
    useEffect(() => {
        const element = place.current;
        if (!element) return;
        const data = [
            props.time,
            ...props.curves.map((curve) => curve.values),
        ] as unknown as uPlot.AlignedData;
        const chart = new uPlot(optionsOf(props, element.clientWidth || 300), data, element);
        const observer = new ResizeObserver(() => {
            if (element.clientWidth > 0) chart.setSize({ width: element.clientWidth, height: props.height });
        });
        observer.observe(element);
        return () => {
            observer.disconnect();
            chart.destroy();
        };
    }, [props.time, props.curves, props.span[0], props.span[1], props.height, isDark]);
    return <div class="chart" ref={place} aria-hidden="true" style={{ height: `${props.height}px` }} />;
}
