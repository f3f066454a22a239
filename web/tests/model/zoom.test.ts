// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { NO_FILTER } from "../../src/model/filter";
import { NO_ZOOM } from "../../src/model/flame_layout";
import { readForm } from "../../src/model/form";
import { timeOrderOf } from "../../src/model/time_order";
import { shapeOf, treeOf } from "../../src/model/tree";
import { weigh } from "../../src/model/weigh";
import {
    boxCloser,
    boxFurther,
    type Range,
    stepOut,
    toNode,
    toRest,
    zoomedAround,
    zoomIn,
    zoomsWith,
} from "../../src/model/zoom";
import { synthetic } from "../synthetic";

const everything = { ...NO_FILTER, frames: "all" as const };
const WHOLE: Range = [0, 100];

test("what is pointed at stays where it is, and the run has ends", () => {
    expect(zoomedAround(WHOLE, WHOLE, 25, 0.5)).toEqual([12.5, 62.5]);
    expect(zoomedAround([12.5, 62.5], WHOLE, 25, 2)).toEqual([0, 100]);
    expect(zoomedAround([80, 100], WHOLE, 100, 4)).toEqual([20, 100]);
    let range = WHOLE;
    for (let step = 0; step < 1000; step++) range = zoomedAround(range, WHOLE, 33, 0.5);
    expect(range[1] - range[0]).toBeGreaterThan(1e-5);
});

test("the way back has the zooms around the last one, once each", () => {
    let zooms = zoomsWith([], [10, 50], WHOLE);
    zooms = zoomsWith(zooms, [20, 30], WHOLE);
    expect(zooms).toEqual([
        [10, 50],
        [20, 30],
    ]);
    expect(zoomsWith(zooms, [21, 29], WHOLE)).toEqual([
        [10, 50],
        [21, 29],
    ]);
    expect(zoomsWith(zooms, [60, 70], WHOLE)).toEqual([[60, 70]]);
    expect(zoomsWith(zooms, [0, 100], WHOLE)).toEqual([]);
    expect(zoomsWith(zooms, [1e-14, 100 - 1e-14], WHOLE)).toEqual([]); // halved and doubled again
});

test("the wheel goes to the next box that looks different, and back", () => {
    const profile = readForm(synthetic({ lines: 10, samples: 1000, depth: 5 }));
    const tree = treeOf(shapeOf(profile, everything), weigh(profile, NO_FILTER));
    const root = tree.firstChild[0]; // all of it: looks like everything
    const leaf = tree.firstChild[tree.firstChild[root]];
    const closer = boxCloser(tree, NO_ZOOM, leaf);
    expect(closer.node).toBe(tree.firstChild[root]);
    expect(boxCloser(tree, closer, leaf).node).toBe(leaf);
    expect(boxFurther(tree, toNode(leaf))).toEqual(NO_ZOOM);
    expect(boxFurther(tree, toNode(root))).toEqual(NO_ZOOM);
    expect(boxCloser(tree, toNode(leaf), root).node).toBe(leaf);
});

test("small boxes that were opened lead back to the box they are in", () => {
    const profile = readForm(synthetic({ lines: 10, samples: 1000 }));
    const tree = treeOf(shapeOf(profile, everything), weigh(profile, NO_FILTER));
    const root = tree.firstChild[0];
    const opened = toRest(tree, tree.nextSibling[tree.firstChild[root]]);
    expect(opened.node).toBe(root);
    expect(zoomIn(tree, opened)).toEqual(opened);
    expect(stepOut(tree, opened)).toEqual(toNode(root));
    expect(boxFurther(tree, opened)).toEqual(toNode(root));
    expect(stepOut(tree, toNode(root))).toEqual(NO_ZOOM);
    expect(zoomIn(tree, { node: 0, rest: opened.rest })).toEqual(NO_ZOOM);
    expect(zoomIn(tree, { node: tree.count, rest: -1 })).toEqual(NO_ZOOM);
});

test("a million samples in the order of time: the whole run, each step with its heaviest stack", () => {
    const form = synthetic({ lines: 100, samples: 300_000, threads: 1, stacks: 100 });
    // Stack 7 has two thirds of every stretch of three samples.
    const heavy = form.samples.stack[7];
    form.samples.stack = form.samples.stack.map((stack, index) => (index % 3 === 0 ? stack : heavy));
    const profile = readForm(form);
    const { spans, step, isCut } = timeOrderOf(profile, everything, [0, 300], 0);
    expect(isCut).toBe(false);
    expect(step).toBeCloseTo(0.15, 9);
    expect(spans[spans.length - 1].end).toBeCloseTo(300, 6);
    expect(new Set(spans.map((span) => profile.functionNames.name[span.function]))).toEqual(
        new Set(["root", "f7"]),
    );
    const closer = timeOrderOf(profile, everything, [100, 101], 0);
    expect(closer.step).toBe(0);
    expect(closer.spans.reduce((sum, span) => sum + (span.row === 0 ? span.seconds : 0), 0)).toBeCloseTo(
        1,
        9,
    );
});
