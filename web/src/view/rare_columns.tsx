// SPDX-License-Identifier: Apache-2.0
// Columns that few profiles have: of event loops, GPUs and other devices.
import { count, megabytes, seconds } from "../model/quantity";
import { number, type NumberColumn, share, take } from "./number_column";

export const RARE_COLUMNS: NumberColumn[] = [
    {
        id: "await",
        title: "Await",
        hint: "What tasks awaited here, added up over tasks, and how many did at once on average; no part of the time",
        width: "132px",
        isUsual: true,
        needs: "await_s",
        metric: "async",
        value: take("await_s"),
        cell: (context, row) => {
            const tasks = take("await_concurrency")(context.rows, row);
            const awaited = take("await_s")(context.rows, row);
            return (
                <>
                    {awaited > 0 ? <i class="hollow" aria-hidden="true" /> : null}
                    {number(awaited, seconds(awaited), 0.01)}
                    {tasks > 0 ? <span class="error"> ×{tasks.toFixed(1)}</span> : null}
                </>
            );
        },
    },
    {
        id: "blocks",
        title: "Loop kept",
        hint: "How long this kept an event loop from everything else, in stretches of 50 ms or more; how many there were",
        width: "104px",
        isUsual: true,
        needs: "loop_block_s",
        metric: "async",
        value: take("loop_block_s"),
        cell: (context, row) => {
            const kept = take("loop_block_s")(context.rows, row);
            return (
                <>
                    {number(kept, seconds(kept), 0.05)}
                    {kept > 0 ? (
                        <span class="error"> in {count(take("loop_block_count")(context.rows, row))}</span>
                    ) : null}
                </>
            );
        },
    },
    {
        id: "gpu",
        title: "GPU",
        hint: "How busy the GPU was while a thread was here, wherever its work was started, and the most of its memory; whose work that is stands at the top",
        width: "116px",
        isUsual: true,
        needs: "gpu_percent",
        metric: "gpu",
        value: take("gpu_percent"),
        cell: (context, row) => {
            const memory = take("gpu_peak_mb")(context.rows, row);
            return (
                <>
                    {share("gpu_percent")(context, row)}
                    {memory > 0 ? <span class="error"> {megabytes(memory)}</span> : null}
                </>
            );
        },
    },
    {
        id: "nrt",
        title: "NRT %",
        hint: "Share of the Neuron runtime's time that this line asked for",
        width: "76px",
        isUsual: true,
        needs: "nrt_percent",
        metric: "gpu",
        value: take("nrt_percent"),
        cell: share("nrt_percent"),
    },
    {
        id: "nc",
        title: "NC time",
        hint: "How long the Neuron cores ran for this line",
        width: "84px",
        isUsual: true,
        needs: "nc_time_ms",
        metric: "gpu",
        value: take("nc_time_ms"),
        cell: (context, row) => {
            const busy = take("nc_time_ms")(context.rows, row) / 1000;
            return number(busy, seconds(busy), 0.001);
        },
    },
    {
        id: "unused",
        title: "Device unused",
        hint: "Part of this line's samples in which no Neuron core ran",
        width: "84px",
        isUsual: true,
        needs: "device_unused_percent",
        metric: "gpu",
        value: take("device_unused_percent"),
        cell: share("device_unused_percent"),
    },
];
