// SPDX-License-Identifier: Apache-2.0
// Draws the tracks and the lanes of threads below the curves: a coloured stripe where a thread was on the
// CPU, its height as busy as it was.
import type { Profile } from "../model/profile";
import type { Tracks } from "../model/tracks";

export const LANE_HEIGHT = 16;
const KINDS = ["python", "native", "system"];

export function fitCanvas(canvas: HTMLCanvasElement): CanvasRenderingContext2D | null {
    const scale = window.devicePixelRatio || 1;
    const { clientWidth, clientHeight } = canvas;
    canvas.width = Math.round(clientWidth * scale);
    canvas.height = Math.round(clientHeight * scale);
    const context = canvas.getContext("2d");
    context?.setTransform(scale, 0, 0, scale, 0, 0);
    return context;
}

export function cssColour(name: string): string {
    return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim() || "#888";
}

export function drawLanes(
    canvas: HTMLCanvasElement,
    tracks: Tracks,
    marks: string[],
    lanes: number[],
    profile: Profile,
): void {
    const context = fitCanvas(canvas);
    if (!context) return;
    const width = canvas.clientWidth / tracks.cpu[0].length;
    context.fillStyle = cssColour("waiting");
    marks.forEach((name, place) => {
        tracks.marks[name].forEach((isSeen, bucket) => {
            if (isSeen)
                context.fillRect(
                    bucket * width,
                    place * LANE_HEIGHT + 4,
                    Math.max(1, width),
                    LANE_HEIGHT - 8,
                );
        });
    });
    const colours = KINDS.map(cssColour);
    lanes.forEach((thread, index) => {
        const top = (marks.length + index) * LANE_HEIGHT;
        drawLife(context, tracks, profile.threads[thread], top, width);
        drawLane(context, tracks.lanes[thread], colours, top, width);
    });
}

function drawLife(
    context: CanvasRenderingContext2D,
    tracks: Tracks,
    thread: { start: number; end: number },
    top: number,
    width: number,
): void {
    const x = (time: number) => ((time - tracks.start) / tracks.step) * width;
    context.fillStyle = cssColour("lane");
    context.fillRect(x(thread.start), top + 3, Math.max(1, x(thread.end) - x(thread.start)), LANE_HEIGHT - 4);
}

function drawLane(
    context: CanvasRenderingContext2D,
    groups: Float64Array[],
    colours: string[],
    top: number,
    width: number,
): void {
    const room = LANE_HEIGHT - 4;
    for (let bucket = 0; bucket < groups[0].length; bucket++) {
        const sum = groups[0][bucket] + groups[1][bucket] + groups[2][bucket];
        if (sum <= 0) continue;
        let bottom = top + 3 + room;
        const scale = Math.max(1, sum);
        groups.forEach((values, group) => {
            const height = (Math.max(values[bucket], values[bucket] > 0 ? 0.25 : 0) / scale) * room;
            context.fillStyle = colours[group];
            context.fillRect(bucket * width, bottom - height, Math.max(1, width), height);
            bottom -= height;
        });
    }
}
