// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { NO_FILTER, chipsOf } from "../../src/model/filter";
import { FIRST_VIEW, readLink, writeLink } from "../../src/model/link";

const filter = {
    ...NO_FILTER,
    time: [1.25, 3.5] as [number, number],
    threads: ["worker & 1", "main"],
    processes: ["4711"],
    files: ["a/b.py"],
    kinds: ["wait.gil"],
    search: "/x=1/ -y",
    hidden: ["f@a.py"],
    folded: ["g@a.py"],
    root: "h@a.py",
    frames: "all" as const,
    showIdle: true,
};
const view = {
    ...FIRST_VIEW,
    tab: "source" as const,
    file: "pkg/träin.py",
    line: 88,
    flame: "inverted" as const,
    memory: "leaks" as const,
    sort: "-wait",
    unit: "%" as const,
    function: "k@b.py",
};

test("a link brings back the whole state", () => {
    expect(readLink(writeLink(view, filter))).toEqual({ view, filter });
});

test("the first view has the shortest link", () =>
    expect(writeLink(FIRST_VIEW, NO_FILTER)).toBe("#v1/lines"));

test.each([
    "",
    "#",
    "#v2/source",
    "#v1/nothing",
    "#v1/source/%E0%A4%A:1",
    "#v1/lines?t=5-1&frames=x&flame=y&unit=z",
])("%s opens the first view rather than fails", (link) => {
    const { filter: read } = readLink(link);
    expect(read.time).toBe(null);
    expect(read.frames).toBe("mine");
});

test("each part of a filter is a chip, and taking one away leaves the others", () => {
    const chips = chipsOf(filter);
    expect(chips).toHaveLength(10);
    const withoutTime = chips[0].without;
    expect(withoutTime).toEqual({ ...filter, time: null });
    expect(chipsOf(withoutTime)).toHaveLength(9);
});
