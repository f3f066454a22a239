// SPDX-License-Identifier: Apache-2.0
// How wide the window is, in the three steps the layout knows.
import { signal } from "@preact/signals";

function follow(query: string) {
    const media = window.matchMedia(query);
    const state = signal(media.matches);
    media.addEventListener("change", () => (state.value = media.matches));
    return state;
}

export const windowWidth = signal(window.innerWidth);
window.addEventListener("resize", () => (windowWidth.value = window.innerWidth));

export const isNarrow = follow("(max-width: 599px)");
export const isWide = follow("(min-width: 1200px)");
export const isStill = follow("(prefers-reduced-motion: reduce)");
