// SPDX-License-Identifier: Apache-2.0
// Call trees for the flame graph: nodes are functions, parents stand before children, node 0 is everything.
// The shape depends on what is folded; the seconds on what is filtered: only these change with a brush.
import type { Filter } from "./filter";
import { orderOf } from "./order";
import { GROUPS, type Profile } from "./profile";
import { flagFunctions, totalsOfStacks, type Weights } from "./weigh";

export const MOST_NODES = 400_000;

export interface Tree {
    count: number;
    parent: Int32Array;
    function: Int32Array; // -1: everything
    frame: Int32Array; // one frame of the function, for its place
    depth: Int32Array;
    total: Float64Array;
    self: Float64Array;
    groups: Float64Array[]; // total seconds by kind group
    firstChild: Int32Array;
    nextSibling: Int32Array; // heaviest first
    isCut: boolean; // there were too many nodes
}

class Builder {
    parent: number[] = [-1];
    function: number[] = [-1];
    frame: number[] = [-1];
    isCut = false;
    private seen = new Map<number, number>();
    constructor(private functions: number) {}

    child(node: number, fn: number, frame: number): number {
        const key = node * this.functions + fn;
        const known = this.seen.get(key);
        if (known !== undefined) return known;
        if (this.parent.length >= MOST_NODES) {
            this.isCut = true;
            return node;
        }
        this.parent.push(node);
        this.function.push(fn);
        this.frame.push(frame);
        this.seen.set(key, this.parent.length - 1);
        return this.parent.length - 1;
    }
}

/** Which functions have a box of their own; the others are part of their caller's. */
export function functionsShown(profile: Profile, filter: Filter): Uint8Array {
    const { isMine, isNative, file } = profile.functionNames;
    const folded = flagFunctions(profile, filter.folded);
    return isMine.map((mine, fn) => {
        if (folded[fn]) return 0;
        const isBootstrap = file[fn].startsWith("<frozen ");
        switch (filter.frames) {
            case "mine":
                return mine;
            case "libraries":
                return isNative[fn] || isBootstrap ? 0 : 1;
            case "native":
                return isBootstrap ? 0 : 1;
            default:
                return 1;
        }
    });
}

export interface Shape {
    builder: Builder;
    nodeOfStack: Int32Array; // -1: outside the tree
}

/** The tree from the outermost frames inwards; with a root, what that function called. */
export function shapeOf(profile: Profile, filter: Filter, root = filter.root): Shape {
    const { parent, frame } = profile.stacks;
    const shown = functionsShown(profile, filter);
    const isRoot = flagFunctions(profile, root ? [root] : []);
    const builder = new Builder(profile.functionNames.name.length + 1);
    const nodeOfStack = new Int32Array(parent.length);
    for (let stack = 0; stack < parent.length; stack++) {
        const fn = profile.frames.function[frame[stack]];
        const above = parent[stack] < 0 ? (root ? -1 : 0) : nodeOfStack[parent[stack]];
        if (above < 0) nodeOfStack[stack] = isRoot[fn] ? builder.child(0, fn, frame[stack]) : -1;
        else nodeOfStack[stack] = shown[fn] || isRoot[fn] ? builder.child(above, fn, frame[stack]) : above;
    }
    return { builder, nodeOfStack };
}

export function treeOf(shape: Shape, weights: Weights): Tree {
    const groups = GROUPS.map(() => new Float64Array(shape.builder.parent.length));
    for (let stack = 0; stack < shape.nodeOfStack.length; stack++) {
        const node = shape.nodeOfStack[stack];
        if (node < 0) continue;
        for (let group = 0; group < groups.length; group++) groups[group][node] += weights.self[group][stack];
    }
    return finish(shape.builder, groups);
}

/** The tree of another weight than seconds: megabytes per stack, say, as one group. */
export function treeOfValues(shape: Shape, stacks: Int32Array, values: Float64Array): Tree {
    const groups = GROUPS.map(() => new Float64Array(shape.builder.parent.length));
    for (let index = 0; index < stacks.length; index++) {
        const node = shape.nodeOfStack[stacks[index]];
        if (node >= 0) groups[0][node] += values[index];
    }
    return finish(shape.builder, groups);
}

/** From the leaves outwards: who called what took the time. */
export function invertedTree(profile: Profile, filter: Filter, weights: Weights): Tree {
    const starts = weights.self.map((values) => values);
    return climb(profile, filter, starts, () => true);
}

/** Who called one function, with all the time below it. */
export function callersTree(profile: Profile, filter: Filter, weights: Weights, root: string): Tree {
    const isRoot = flagFunctions(profile, [root]);
    const outermost = outermostStacks(profile);
    const totals = weights.self.map((values) => totalsOfStacks(profile, values));
    const { frame } = profile.stacks;
    const isStart = (stack: number) =>
        isRoot[profile.frames.function[frame[stack]]] === 1 && outermost[stack] === 1;
    return climb(profile, filter, totals, isStart);
}

function climb(
    profile: Profile,
    filter: Filter,
    starts: Float64Array[],
    isStart: (stack: number) => boolean,
) {
    const { parent, frame } = profile.stacks;
    const shown = functionsShown(profile, filter);
    const builder = new Builder(profile.functionNames.name.length + 1);
    const groups: number[][] = GROUPS.map(() => [0]);
    for (let stack = 0; stack < parent.length; stack++) {
        let seconds = 0;
        for (const values of starts) seconds += values[stack];
        if (seconds === 0 || !isStart(stack)) continue;
        let node = 0;
        for (let at = stack; at >= 0; at = parent[at]) {
            const fn = profile.frames.function[frame[at]];
            if (shown[fn]) node = builder.child(node, fn, frame[at]);
        }
        starts.forEach((values, group) => {
            groups[group][node] = (groups[group][node] ?? 0) + values[stack];
        });
    }
    const count = builder.parent.length;
    const filled = groups.map((values) =>
        Float64Array.from({ length: count }, (_, node) => values[node] ?? 0),
    );
    return finish(builder, filled);
}

/** Sums upwards and orders the children. `groups` come in as self seconds, and leave as totals. */
function finish(builder: Builder, groups: Float64Array[]): Tree {
    const count = builder.parent.length;
    const parent = Int32Array.from(builder.parent);
    const self = new Float64Array(count);
    const total = new Float64Array(count);
    const depth = new Int32Array(count);
    for (let node = 0; node < count; node++) {
        for (const values of groups) self[node] += values[node];
        if (node > 0) depth[node] = depth[parent[node]] + 1;
    }
    for (let node = count - 1; node > 0; node--) {
        for (const values of groups) values[parent[node]] += values[node];
    }
    for (let node = 0; node < count; node++) for (const values of groups) total[node] += values[node];
    const links = linkChildren(parent, total);
    return {
        count,
        parent,
        function: Int32Array.from(builder.function),
        frame: Int32Array.from(builder.frame),
        depth,
        total,
        self,
        groups,
        ...links,
        isCut: builder.isCut,
    };
}

function linkChildren(parent: Int32Array, total: Float64Array) {
    const firstChild = new Int32Array(parent.length).fill(-1);
    const nextSibling = new Int32Array(parent.length).fill(-1);
    const order = orderOf(total, true);
    for (let place = order.length - 1; place >= 0; place--) {
        const node = order[place];
        if (node === 0) continue;
        nextSibling[node] = firstChild[parent[node]];
        firstChild[parent[node]] = node;
    }
    return { firstChild, nextSibling };
}

const outermostOf = new WeakMap<Profile, Uint8Array>();

/** Per stack: 1 if its function does not stand above it already, so that recursion is counted once. */
export function outermostStacks(profile: Profile): Uint8Array {
    const known = outermostOf.get(profile);
    if (known) return known;
    const { parent, frame } = profile.stacks;
    const { firstChild, nextSibling } = linkChildren(withRoot(parent), new Float64Array(parent.length + 1));
    const outermost = new Uint8Array(parent.length);
    const depthOfFunction = new Int32Array(profile.functionNames.name.length);
    let node = firstChild[0];
    while (node > 0) {
        const fn = profile.frames.function[frame[node - 1]];
        outermost[node - 1] = depthOfFunction[fn]++ === 0 ? 1 : 0;
        if (firstChild[node] > 0) {
            node = firstChild[node];
            continue;
        }
        while (node > 0) {
            depthOfFunction[profile.frames.function[frame[node - 1]]]--;
            if (nextSibling[node] > 0) {
                node = nextSibling[node];
                break;
            }
            node = parent[node - 1] + 1;
        }
    }
    outermostOf.set(profile, outermost);
    return outermost;
}

/** The same tree with one node in front that holds the outermost ones. */
function withRoot(parent: Int32Array): Int32Array {
    const shifted = new Int32Array(parent.length + 1);
    shifted[0] = -1;
    for (let node = 0; node < parent.length; node++) shifted[node + 1] = parent[node] + 1;
    return shifted;
}
