// SPDX-License-Identifier: Apache-2.0
// Zooming: closer around the place that is pointed at, and the way back.
import { NO_ZOOM, pathTo, type Zoom } from "./flame_layout";
import type { Tree } from "./tree";

export type Range = [number, number];

/** A zoom that is not half of another's length is another step of the same zooming, not a place to go back to. */
const WORTH_RETURNING = 2;
const SHORTEST_PART = 1e-6; // of the whole
/** A box of more than this part of another looks the same when it is zoomed to. */
const LOOKS_SAME = 0.9;

/** The range after a zoom in which `at` stays where it is; `factor` below 1 comes closer. */
export function zoomedAround([from, to]: Range, whole: Range, at: number, factor: number): Range {
    const least = (whole[1] - whole[0]) * SHORTEST_PART;
    const scale = Math.max(factor, least / Math.max(to - from, least));
    return [Math.max(whole[0], at - (at - from) * scale), Math.min(whole[1], at + (to - at) * scale)];
}

/** Zooms, each inside the one before: those around the next one, then it; none when it is the whole. */
export function zoomsWith(zooms: Range[], next: Range, whole: Range): Range[] {
    const nothing = (whole[1] - whole[0]) * SHORTEST_PART; // halved and doubled, a range is a digit off
    if (next[0] <= whole[0] + nothing && next[1] >= whole[1] - nothing) return [];
    const length = next[1] - next[0];
    const around = zooms.filter(
        ([from, to]) => from <= next[0] && to >= next[1] && to - from >= WORTH_RETURNING * length,
    );
    return [...around, next];
}

/** From a zoomed box towards one above it, to the next that looks different. */
export function boxCloser(tree: Tree, zoom: Zoom, target: number): Zoom {
    const path = pathTo(tree, target);
    if (!path.includes(zoom.node)) return zoom;
    const above = path.slice(path.indexOf(zoom.node) + 1);
    const isDifferent = (node: number) => tree.total[node] < LOOKS_SAME * tree.total[zoom.node];
    return toNode(above.find(isDifferent) ?? target);
}

export function toNode(node: number): Zoom {
    return { node: Math.max(0, node), rest: -1 };
}

/** Into a box that stands for many small ones. */
export function toRest(tree: Tree, first: number): Zoom {
    return { node: tree.parent[first], rest: first };
}

/** From many small ones to the node they are children of, from there to its caller. */
export function stepOut(tree: Tree, zoom: Zoom): Zoom {
    return toNode(zoom.rest < 0 ? tree.parent[zoom.node] : zoom.node);
}

/** The same zoom in a tree that may have changed. */
export function zoomIn(tree: Tree, { node, rest }: Zoom): Zoom {
    if (node >= tree.count || tree.total[node] <= 0) return NO_ZOOM;
    const isThere = rest >= 0 && tree.parent[rest] === node && tree.total[rest] > 0;
    return { node, rest: isThere ? rest : -1 };
}

/** The outermost of those that look the same as the next that looks different. */
export function boxFurther(tree: Tree, zoom: Zoom): Zoom {
    if (zoom.rest >= 0) return toNode(zoom.node);
    const different = lastAlike(tree, zoom.node);
    return toNode(different > 0 ? lastAlike(tree, tree.parent[different]) : 0);
}

function lastAlike(tree: Tree, node: number): number {
    let at = node;
    while (at > 0 && tree.total[tree.parent[at]] <= tree.total[node] / LOOKS_SAME) at = tree.parent[at];
    return at;
}
