// SPDX-License-Identifier: Apache-2.0
// Profiles that the original wrote, of several versions, all of one program (tests/fixtures/original.py).
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { convert, isProfileJson } from "../../src/model/convert";
import { NO_FILTER } from "../../src/model/filter";
import { readForm } from "../../src/model/form";
import { largest } from "../../src/model/order";
import { functionRows, lineRows } from "../../src/model/rows";
import { sum, weigh } from "../../src/model/weigh";

const folder = new URL("../fixtures/", import.meta.url).pathname;
const names = readdirSync(folder).filter((name) => /^original-.*\.json$/.test(name));

test("there are several versions", () => expect(names.length).toBeGreaterThanOrEqual(4));

test.each(names)("%s", (name) => {
    const document = JSON.parse(readFileSync(folder + name, "utf8"));
    expect(isProfileJson(document)).toBe(true);
    const { form, sources } = convert(document);
    const profile = readForm(form);
    const weights = weigh(profile, NO_FILTER);
    const rows = lineRows(profile, NO_FILTER, weights);
    const hottest = largest(rows.time, 1)[0];
    expect(sources[profile.lines.file[hottest]][profile.lines.line[hottest] - 1]).toMatch(
        /total \+= number \* number % 7|if number % 3 < 2|for number in range/,
    );
    expect(sum(rows.time)).toBeLessThanOrEqual(profile.run.elapsed * 1.05);
    const held = largest(profile.lines.columns.peak_mb ?? new Float64Array(0), 1)[0];
    expect(sources[profile.lines.file[held]][profile.lines.line[held] - 1]).toContain("bytearray");
    expect(profile.run.peakMemory).toBeGreaterThan(60);
    const functions = functionRows(profile, NO_FILTER, weights);
    expect(functions.table.name).toContain("count");
    expect(profile.run.madeBy).toContain("original");
});
