// SPDX-License-Identifier: Apache-2.0
// What the page shows: one profile, one filter, one view. Panels read the computed signals below and
// nothing else; each is recomputed only when something it depends on changes.
import { computed, signal } from "@preact/signals";
import { type Filter, NO_FILTER, choosesSamples } from "../model/filter";
import { FIRST_VIEW, type View } from "../model/link";
import type { Profile } from "../model/profile";
import { functionRows, lineRows } from "../model/rows";
import { weigh } from "../model/weigh";
import type { Range } from "../model/zoom";

export interface Selection {
    kind: "line" | "function" | "thread" | "none";
    row: number; // of lines, of functionNames, or of threads
}

export const profile = signal<Profile | null>(null);
export const filter = signal<Filter>(NO_FILTER);
export const view = signal<View>(FIRST_VIEW);
export const selection = signal<Selection>({ kind: "none", row: -1 });
/** The parts of the run that the timeline was zoomed to, each inside the one before. Zooming is not filtering. */
export const zooms = signal<Range[]>([]);
/** The part that it shows; null: all of it. */
export const zoom = computed(() => zooms.value[zooms.value.length - 1] ?? null);
/** A sentence about what cannot be shown, with what to do. */
export const problem = signal("");
/** A thin notice above everything: the server is gone, the run was killed. */
export const banner = signal("");
/** How often Enter was pressed in the search: each press walks to the next match. */
export const matchStep = signal(0);
/** What a written page gives away to whom it is handed, in a sentence; none of another profile. */
export const contents = signal("");
export const spoken = signal("");
export const isHelpOpen = signal(false);

/** The profile, for panels that exist only while there is one. */
export const shown = computed<Profile>(() => profile.value as Profile);
export const weights = computed(() => weigh(shown.value, filter.value));
export const lines = computed(() => {
    const counted = choosesSamples(filter.value) ? weights.value : null;
    return lineRows(shown.value, filter.value, counted);
});
export const functions = computed(() => functionRows(shown.value, filter.value, weights.value));

/** For screen readers: said once, politely. */
export function say(sentence: string): void {
    spoken.value = sentence;
}
