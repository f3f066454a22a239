// SPDX-License-Identifier: Apache-2.0
// Accelerators that the program used: a row of the verdict, a track of the timeline each.
import { useMemo } from "preact/hooks";
import { type Device, scopeWords } from "../model/device";
import { megabytes, percent, visible } from "../model/quantity";
import { shown } from "../state/store";
import { Chart } from "./chart";

const TRACK_HEIGHT = 44;
const MOST_DEVICES = 8;

export function GpuRows() {
    return (
        <>
            {shown.value.devices.slice(0, MOST_DEVICES).map((device, index) => (
                <GpuRow key={index} device={device} />
            ))}
        </>
    );
}

function GpuRow({ device }: { device: Device }) {
    const isKnown = device.scope !== "none";
    const whole = device.totalMemory > 0 ? ` of ${megabytes(device.totalMemory)}` : "";
    return (
        <div class="verdict-row">
            <h3>GPU</h3>
            <span class="bar wide thin" aria-hidden="true">
                {isKnown ? <i class="gpu" style={{ width: `${Math.min(100, device.busy)}%` }} /> : null}
            </span>
            <p class="legend">
                <span>
                    <i class="key gpu" /> {visible(device.name, 60)}{" "}
                    {isKnown ? (
                        <>
                            busy <b>{percent(device.busy)}</b>
                        </>
                    ) : null}
                </span>
                <span class="note">{scopeWords(device.scope)}</span>
                {device.memoryScope === "none" ? null : (
                    <span>
                        memory up to <b>{megabytes(device.peakMemory)}</b>
                        {whole}
                        {device.memoryScope === device.scope ? null : (
                            <span class="note"> {scopeWords(device.memoryScope)}</span>
                        )}
                    </span>
                )}
            </p>
        </div>
    );
}

/** How busy each device was, over time. */
export function GpuTracks({ span }: { span: [number, number] }) {
    const devices = shown.value.devices.slice(0, MOST_DEVICES).filter(({ time }) => time.length > 1);
    return (
        <>
            {devices.map((device, index) => (
                <GpuTrack key={index} device={device} span={span} />
            ))}
        </>
    );
}

function GpuTrack({ device, span }: { device: Device; span: [number, number] }) {
    const curves = useMemo(
        () => [{ label: device.name, values: device.busyAt, stroke: "gpu", fill: "gpu", isStepped: true }],
        [device],
    );
    return (
        <div class="gpu-track">
            <Chart
                height={TRACK_HEIGHT}
                time={device.time}
                curves={curves}
                span={span}
                most={100}
                say={(busy) => `GPU ${Math.round(busy)} %`}
            />
        </div>
    );
}

/** Of the device at a moment, for the table beside the picture. */
export function busyAt(device: Device, from: number, to: number): number {
    let worked = 0;
    for (let step = 0; step + 1 < device.time.length; step++) {
        const start = Math.max(from, device.time[step]);
        const end = Math.min(to, device.time[step + 1]);
        if (end > start) worked += device.busyAt[step] * (end - start);
    }
    return worked / Math.max(to - from, 1e-9);
}
