// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { kindMatches, matches, parseQuery, threadMatches } from "../../src/model/search";

const subject = {
    text: "rows = parse(text)",
    file: "/app/load/reader.py",
    function: "Reader.read",
    megabytes: 120,
};
const found = (text: string) => matches(parseQuery(text), subject);

test.each([
    ["parse", true],
    ["PARSE reader", true],
    ["missing", false],
    ["-missing", true],
    ["-parse", false],
    ["/^rows.*\\)$/", true],
    ["/^parse/", false],
    ["file:reader.py", true],
    ["file:writer", false],
    ["fn:Reader.read", true],
    ["mod:load.reader", true],
    ["mb:>100", true],
    ["mb:>120", false],
    ["mb:<=120", true],
    ["-mb:>100", false],
    ['"parse(text)"', true],
    ["http://x", false],
])("%s gives %s", (text, isFound) => expect(found(text)).toBe(isFound));

test("a broken expression is told and matches nothing", () => {
    const query = parseQuery("/(/");
    expect(query.problem).not.toBe("");
    expect(matches(query, subject)).toBe(false);
});

test("a thread chooses samples, not rows", () => {
    const query = parseQuery("th:/^worker-\\d$/ -th:worker-2 parse");
    expect(matches(query, subject)).toBe(true);
    const names = ["MainThread", "worker-1", "worker-2"];
    expect(names.filter((name) => threadMatches(query, name))).toEqual(["worker-1"]);
    expect(parseQuery("th:/(/").problem).not.toBe("");
});

test("a kind stands for all below it", () => {
    expect(parseQuery("kind:wait.gil parse").kinds).toEqual(["wait.gil"]);
    expect(kindMatches(["wait"], "wait.gil")).toBe(true);
    expect(kindMatches(["wait.gil"], "wait.lock")).toBe(false);
    expect(kindMatches(["-wait"], "python")).toBe(true);
    expect(kindMatches(["-wait"], "wait.disk")).toBe(false);
});
