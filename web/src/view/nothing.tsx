// SPDX-License-Identifier: Apache-2.0
// What stands where there is nothing to show: why, and what to do about it. Never a blank panel.
import { chipsOf } from "../model/filter";
import { seconds } from "../model/quantity";
import { reset } from "../state/actions";
import { filter, shown } from "../state/store";

export function NothingHere({ what }: { what: string }) {
    const { run } = shown.value;
    if (chipsOf(filter.value).length > 0) {
        return (
            <span>
                No {what} pass the filter.{" "}
                <button type="button" class="link" onClick={reset}>
                    Take all filters away
                </button>
            </span>
        );
    }
    const cpu = run.cpu[0] + run.cpu[1] + run.cpu[2];
    return (
        <span>
            No {what} were sampled: the program used {seconds(cpu)} of CPU time in {seconds(run.elapsed)}.{" "}
            {run.notes[0] ?? "To see library code too, run: scalene run --profile-all …"}
        </span>
    );
}
