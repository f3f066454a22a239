// SPDX-License-Identifier: Apache-2.0
// The receipt: how it was measured, what was lost, what could not be measured, and what this page is made of.
import { count, megabytes, percent, seconds, visible } from "../model/quantity";
import { contents, shown } from "../state/store";
import { Facts } from "./facts";

const PARTS = "preact, @preact/signals, uPlot and Lezer (all under the MIT licence)";

export function Receipt() {
    const { run, filesLeftOut } = shown.value;
    const q = run.quality;
    const facts: [string, string][] = [
        [
            "samples of CPU time",
            `${count(q.cpu_samples ?? 0)}, ${count(q.cpu_samples_lost ?? 0)} lost, ${count(q.cpu_samples_late ?? 0)} late`,
        ],
        [
            "one sample every",
            `${seconds(q.interval_reached_s ?? 0)} of CPU time (asked: ${seconds(q.interval_asked_s ?? 0)})`,
        ],
        ["samples of memory", `${count(q.memory_samples ?? 0)}, ${count(q.memory_samples_lost ?? 0)} lost`],
        ["not attributed to a line", seconds(q.cpu_unattributed_s ?? 0)],
        ["cost in the program", seconds(q.own_cpu_in_program_s ?? 0)],
        ["cost beside it", `${seconds(q.own_cpu_beside_s ?? 0)}, ${megabytes(q.own_memory_mb ?? 0)}`],
        ["ready, but without a core", seconds(run.ready)],
        ["files not listed", `${filesLeftOut.count}, ${percent(filesLeftOut.percent)} together`],
    ];
    const missing = Object.entries(run.missing);
    return (
        <footer class="receipt">
            <details>
                <summary>Receipt: {run.verdict.receipt || run.versions || "how this was measured"}</summary>
                <div class="receipt-body">
                    {run.madeBy ? null : <Facts facts={facts} />}
                    {run.notes.length + missing.length > 0 ? (
                        <ul>
                            {run.notes.map((note) => (
                                <li key={note}>{visible(note)}</li>
                            ))}
                            {missing.map(([what, why]) => (
                                <li key={what}>
                                    <b>{visible(what)}</b>: {visible(why)}
                                </li>
                            ))}
                        </ul>
                    ) : null}
                    <p>
                        {visible(run.versions)}. This page loads nothing from elsewhere and sends nothing.{" "}
                        {visible(contents.value)} It is built with {PARTS}.
                    </p>
                </div>
            </details>
        </footer>
    );
}
