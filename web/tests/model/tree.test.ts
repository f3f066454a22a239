// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { NO_FILTER } from "../../src/model/filter";
import { deepestRow, layout, NO_ZOOM, pathTo, restFrom } from "../../src/model/flame_layout";
import { readForm } from "../../src/model/form";
import { timeOrderOf } from "../../src/model/time_order";
import { callersTree, invertedTree, shapeOf, treeOf, treeOfValues } from "../../src/model/tree";
import { weigh } from "../../src/model/weigh";
import { toNode, toRest } from "../../src/model/zoom";
import { synthetic } from "../synthetic";

const profile = readForm(synthetic({ lines: 10, samples: 1000 }));
const weights = weigh(profile, NO_FILTER);
const everything = { ...NO_FILTER, frames: "all" as const };

test("a tree holds all seconds, and the root's are those of its children", () => {
    const tree = treeOf(shapeOf(profile, everything), weights);
    expect(tree.total[0]).toBeCloseTo(1, 9);
    let children = 0;
    for (let child = tree.firstChild[0]; child >= 0; child = tree.nextSibling[child])
        children += tree.total[child];
    expect(children).toBeCloseTo(1, 9);
    expect(tree.groups[1][0]).toBeCloseTo(0.25, 6);
});

test("the inverted tree begins with what ran itself", () => {
    const tree = invertedTree(profile, everything, weights);
    expect(tree.total[0]).toBeCloseTo(1, 9);
    expect(profile.functionNames.name[tree.function[tree.firstChild[0]]]).toMatch(/^f\d$/);
});

test("a sandwich has one function's callers and callees", () => {
    const callers = callersTree(profile, everything, weights, "f2@main.py");
    expect(callers.total[0]).toBeCloseTo(0.1, 9);
    const callees = treeOf(shapeOf(profile, everything, "f2@main.py"), weights);
    expect(callees.total[0]).toBeCloseTo(0.1, 9);
});

test("a folded function's time is its caller's", () => {
    const tree = treeOf(shapeOf(profile, { ...everything, folded: ["f2@main.py"] }), weights);
    const names = [...tree.function].map((fn) => profile.functionNames.name[fn]);
    expect(names).not.toContain("f2");
    expect(tree.total[0]).toBeCloseTo(1, 9);
});

test("boxes fill the width in every row and small ones are merged", () => {
    const wide = readForm(synthetic({ lines: 1000, samples: 10_000, stacks: 1000 }));
    const tree = treeOf(shapeOf(wide, everything), weigh(wide, everything));
    const boxes = layout(tree, NO_ZOOM, 500, 0, 10);
    const second = boxes.filter((box) => box.row === 2);
    expect(second).toHaveLength(1);
    expect(second[0].merged).toBe(1000);
    expect(second[0].width).toBeCloseTo(500, 3);
    const zoomed = layout(tree, toNode(tree.firstChild[tree.firstChild[0]]), 500, 0, 10);
    expect(zoomed.filter((box) => box.row === 2)).toHaveLength(1);
    expect(pathTo(tree, zoomed[0].node)[0]).toBe(0);
});

test("a merged box opens into boxes that can be seen, and the last of its children is reached", () => {
    const wide = readForm(synthetic({ lines: 1000, samples: 10_000, stacks: 1000 }));
    const tree = treeOf(shapeOf(wide, everything), weigh(wide, everything));
    const seen = new Set<number>();
    let merged = layout(tree, NO_ZOOM, 500, 0, 10).find((box) => box.merged > 0);
    for (let clicks = 0; merged && clicks < 100; clicks++) {
        const opened = layout(tree, toRest(tree, merged.node), 500, 0, 10).filter((box) => box.row === 2);
        for (const box of opened) {
            if (box.merged === 0) seen.add(box.node);
            expect(box.width).toBeGreaterThanOrEqual(23.9);
            expect(box.x + box.width).toBeLessThanOrEqual(500.1);
        }
        merged = opened.find((box) => box.merged > 0);
    }
    expect(seen.size).toBe(restFrom(tree, tree.firstChild[tree.firstChild[0]]).count);
});

test("stacks of two thousand frames need no recursion", () => {
    const names = Array.from({ length: 3 }, () => "again");
    const deep = readForm(synthetic({ lines: 3, samples: 30, depth: 2000, names }));
    const tree = treeOf(shapeOf(deep, everything), weigh(deep, everything));
    expect(deepestRow(tree)).toBe(2000);
    expect(layout(tree, NO_ZOOM, 800, 1990, 2010).length).toBeGreaterThan(0);
});

test("megabytes make a tree as seconds do", () => {
    const { stack, allocated } = profile.memoryStacks;
    expect(treeOfValues(shapeOf(profile, everything), stack, allocated).total[0]).toBe(200);
});

test("neighbouring samples with the same callers are one span", () => {
    const { spans, step } = timeOrderOf(profile, everything, [0, 1], 0);
    expect(step).toBe(0);
    const roots = spans.filter((span) => span.row === 0);
    expect(roots).toHaveLength(1);
    expect(roots[0].seconds).toBeCloseTo(0.5, 9);
});
