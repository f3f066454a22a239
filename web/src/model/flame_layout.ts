// SPDX-License-Identifier: Apache-2.0
// Where the boxes of a tree stand. Children too thin to see are merged into one box that can be opened: it is a zoom to
// the lighter ones of a node's children.
import type { Tree } from "./tree";

export interface Box {
    node: number; // of a merged box: the heaviest inside
    merged: number; // how many nodes a merged box stands for; 0: an ordinary one
    seconds: number;
    x: number;
    width: number;
    row: number;
}

export interface Zoom {
    node: number;
    rest: number; // of its children this one and the lighter ones; -1: all
}

export const NO_ZOOM: Zoom = { node: 0, rest: -1 };

const THIN = 2;
/** In an opened box the heaviest is at least as wide as this, and what has no room is one box of that width. */
const OPENED = 24;
const INVISIBLE = 0.5;

/** Boxes of the rows that are in sight. Above the zoomed node its callers fill the width. */
export function layout(tree: Tree, zoom: Zoom, width: number, firstRow: number, lastRow: number): Box[] {
    const boxes: Box[] = [];
    const path = pathTo(tree, zoom.node);
    path.forEach((node, row) => {
        if (row < path.length - 1 && row >= firstRow && row <= lastRow) {
            boxes.push({ node, merged: 0, seconds: tree.total[node], x: 0, width, row });
        }
    });
    const scale = scaleOf(tree, zoom, width);
    const todo: Box[] = [];
    const add = (box: Box) => {
        if (box.row >= firstRow && box.row <= lastRow) boxes.push(box);
        if (box.merged > 0 || box.row >= lastRow) return;
        const isOpened = box.node === zoom.node && zoom.rest >= 0;
        if (isOpened) addChildren(tree, box, scale, todo, zoom.rest, width);
        else addChildren(tree, box, scale, todo, tree.firstChild[box.node]);
    };
    add(ordinary(tree, zoom.node, 0, width, path.length - 1));
    while (todo.length > 0) add(todo.pop() as Box);
    return boxes;
}

function ordinary(tree: Tree, node: number, x: number, width: number, row: number): Box {
    return { node, merged: 0, seconds: tree.total[node], x, width, row };
}

/** Pixels of a second. The rest may be thousands of a pixel each: then as many as have room fill the width. */
function scaleOf(tree: Tree, { node, rest }: Zoom, width: number): number {
    const seconds = rest < 0 ? tree.total[node] : restFrom(tree, rest).seconds;
    if (seconds <= 0) return 0;
    return rest < 0 ? width / seconds : Math.max(width / seconds, OPENED / tree.total[rest]);
}

/** Boxes of a node's children from one of them on; those that have no room before the end are merged at it. */
function addChildren(tree: Tree, box: Box, scale: number, todo: Box[], first: number, end = Infinity): void {
    let x = box.x;
    const row = box.row + 1;
    for (let child = first; child >= 0; child = tree.nextSibling[child]) {
        const width = tree.total[child] * scale;
        const hasRoom = x + width <= end - OPENED || tree.nextSibling[child] < 0;
        if (width < THIN || !hasRoom) {
            const { count, seconds } = restFrom(tree, child);
            const room = Math.min(seconds * scale, end - x);
            if (room >= INVISIBLE) todo.push({ node: child, merged: count, seconds, x, width: room, row });
            return;
        }
        todo.push(ordinary(tree, child, x, width, row));
        x += width;
    }
}

export function restFrom(tree: Tree, first: number): { count: number; seconds: number } {
    const rest = { count: 0, seconds: 0 };
    for (let child = first; child >= 0; child = tree.nextSibling[child]) {
        if (tree.total[child] <= 0) continue;
        rest.count++;
        rest.seconds += tree.total[child];
    }
    return rest;
}

export function pathTo(tree: Tree, node: number): number[] {
    const path: number[] = [];
    for (let at = node; at >= 0; at = tree.parent[at]) path.push(at);
    return path.reverse();
}

export function deepestRow(tree: Tree): number {
    let deepest = 0;
    for (let node = 0; node < tree.count; node++) {
        if (tree.total[node] > 0 && tree.depth[node] > deepest) deepest = tree.depth[node];
    }
    return deepest;
}
