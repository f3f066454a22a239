// SPDX-License-Identifier: Apache-2.0
// On paper: the heaviest lines as a plain table, below verdict and findings.
import { largest } from "../model/order";
import { percent, seconds, visible } from "../model/quantity";
import { sourceLine } from "../state/sources";
import { lines, shown } from "../state/store";

const MOST = 20;

export function PrintLines() {
    const { table, time, whole } = lines.value;
    const rows = largest(time, MOST).filter((row) => time[row] > 0);
    return (
        <table class="print-only" aria-hidden="true">
            <thead>
                <tr>
                    <th class="amount">Time</th>
                    <th class="amount">%</th>
                    <th>Line</th>
                    <th>Source</th>
                </tr>
            </thead>
            <tbody>
                {rows.map((row) => (
                    <tr key={row}>
                        <td class="amount">{seconds(time[row])}</td>
                        <td class="amount">{percent((100 * time[row]) / (whole || 1))}</td>
                        <td>
                            {visible(shown.value.files[table.file[row]].name)}:{table.line[row]}
                        </td>
                        <td>{visible(sourceLine(table.file[row], table.line[row]).trim(), 100)}</td>
                    </tr>
                ))}
            </tbody>
        </table>
    );
}
