// SPDX-License-Identifier: Apache-2.0
// The memory of all processes over time.
import { useMemo } from "preact/hooks";
import { megabytes } from "../model/quantity";
import { shown } from "../state/store";
import { Chart, type Curve } from "./chart";

export function Footprint({ height, span }: { height: number; span: [number, number] }) {
    const { footprint } = shown.value;
    const curves = useMemo<Curve[]>(
        () => [
            {
                label: "memory",
                values: footprint.mb,
                stroke: "memory-python",
                fill: "memory-native",
                isStepped: true,
            },
        ],
        [footprint],
    );
    return (
        <Chart
            height={height}
            time={footprint.time}
            curves={curves}
            span={span}
            say={megabytes}
            hasTimeAxis
        />
    );
}
