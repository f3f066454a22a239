// SPDX-License-Identifier: Apache-2.0
// Stacks as they followed each other in one thread: neighbours with the same callers are one box.
import type { Filter } from "./filter";
import type { Profile } from "./profile";
import { type Moment, momentsOf } from "./time_steps";
import { functionsShown } from "./tree";
import { lowerBound } from "./weigh";

export interface Span {
    function: number;
    frame: number;
    row: number;
    start: number;
    end: number;
    seconds: number;
}

export interface TimeOrder {
    spans: Span[];
    step: number; // seconds that one stack stands for; 0: every sample is shown
    isCut: boolean;
}

const STEPS = 2000;
/** Even 2,000 steps of stacks 200 deep are fewer. */
const MOST_SPANS = 400_000;

/** Spans of the samples of one thread (-1: all, interleaved) in a range of time. */
export function timeOrderOf(
    profile: Profile,
    filter: Filter,
    range: [number, number],
    thread: number,
): TimeOrder {
    const samples = samplesIn(profile, range, thread);
    const moments = momentsOf(profile, samples, range, STEPS);
    const isWhole = moments.length === samples.length;
    const step = isWhole ? 0 : (range[1] - range[0]) / STEPS;
    const spans = spansOf(profile, filter, moments, Math.max(gapOf(profile), step / 2));
    return { spans, step, isCut: spans.length >= MOST_SPANS };
}

function samplesIn(profile: Profile, range: [number, number], thread: number): Int32Array {
    const { time, thread: threads } = profile.samples;
    const first = lowerBound(time, range[0]);
    const last = lowerBound(time, range[1]);
    const found = new Int32Array(last - first);
    let count = 0;
    for (let index = first; index < last; index++) {
        if (thread < 0 || threads[index] === thread) found[count++] = index;
    }
    return found.subarray(0, count);
}

function spansOf(profile: Profile, filter: Filter, moments: Moment[], gap: number): Span[] {
    const shown = functionsShown(profile, filter);
    const spans: Span[] = [];
    let open: Span[] = [];
    for (const moment of moments) {
        if (spans.length >= MOST_SPANS) break;
        const frames = shownFrames(profile, shown, moment.stack);
        const isGap = open.length > 0 && moment.start > open[0].end + gap;
        let row = 0;
        while (!isGap && row < frames.length && row < open.length) {
            if (open[row].function !== profile.frames.function[frames[row]]) break;
            extend(open[row++], moment);
        }
        open = open.slice(0, row);
        for (; row < frames.length; row++) {
            const frame = frames[row];
            const { start } = moment;
            const span = {
                function: profile.frames.function[frame],
                frame,
                row,
                start,
                end: start,
                seconds: 0,
            };
            extend(span, moment);
            open.push(span);
            spans.push(span);
        }
    }
    return spans;
}

function extend(span: Span, moment: Moment): void {
    span.end = Math.max(span.end, moment.start + moment.length);
    span.seconds += moment.seconds;
}

/** Two samples further apart than this are not one span: the thread did something else. */
function gapOf(profile: Profile): number {
    return 4 * Math.max(profile.samples.each, 0.001);
}

function shownFrames(profile: Profile, shown: Uint8Array, stack: number): number[] {
    const frames: number[] = [];
    for (let at = stack; at >= 0; at = profile.stacks.parent[at]) {
        const frame = profile.stacks.frame[at];
        if (shown[profile.frames.function[frame]]) frames.push(frame);
    }
    return frames.reverse();
}
