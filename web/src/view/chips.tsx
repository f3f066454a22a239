// SPDX-License-Identifier: Apache-2.0
// What is filtered, each part with a way to take it off, and how much is left.
import { type Chip, chipsOf, choosesSamples } from "../model/filter";
import { percent, plural, seconds, visible } from "../model/quantity";
import { go, reset } from "../state/actions";
import { filter, shown, weights } from "../state/store";

export function Chips() {
    const chips = [...chipsOf(filter.value), ...idleChip()];
    if (chips.length === 0) return null;
    const { shown: left, all } = weights.value;
    return (
        <div class="chips" role="group" aria-label="Filters">
            {chips.map((chip) => (
                <button
                    key={chip.label}
                    type="button"
                    class="chip"
                    onClick={() => go({ filter: chip.without })}
                    aria-label={`Remove filter: ${chip.label}`}
                >
                    <span aria-hidden="true">✕</span> {visible(chip.label, 60)}
                </button>
            ))}
            {chips.length > 1 ? (
                <button type="button" class="link" onClick={reset}>
                    remove all
                </button>
            ) : null}
            {choosesSamples(filter.value) ? (
                <span class="note">
                    showing {percent(all > 0 ? (100 * left) / all : 0)} of {seconds(all)} CPU time;{" "}
                    {shown.value.run.hasMemory ? "waiting and memory are" : "waiting is"} of the whole run
                </span>
            ) : null}
        </div>
    );
}

/** Threads that only waited for work are hidden, and said to be. */
function idleChip(): Chip[] {
    const idle = shown.value.threads.filter((thread) => thread.isIdle);
    if (idle.length === 0 || filter.value.showIdle) return [];
    const waits = idle.flatMap((thread) => Object.values(thread.waits));
    const waited = waits.reduce((sum, value) => sum + value, 0);
    const label = `without ${plural(idle.length, "idle thread")}, ${seconds(waited)}`;
    return [{ label, without: { ...filter.value, showIdle: true } }];
}
