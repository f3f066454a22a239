// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { readFileSync } from "node:fs";
import { convert } from "../../src/model/convert";
import { readForm } from "../../src/model/form";

const golden = (name: string) =>
    readFileSync(new URL(`../../../tests/golden/${name}`, import.meta.url), "utf8");

test("operators of a trace are the same in the form and in the profile", () => {
    const form = readForm(JSON.parse(golden("gpu-0-form.txt")));
    const profile = readForm(convert(JSON.parse(golden("gpu.json"))).form);
    expect(form.operators.length).toBe(12);
    expect(form.operatorsLeftOut).toBe(3);
    expect(form.operators[1]).toEqual({
        name: "aten::mm",
        isDevice: false,
        place: { file: "/home/user/project/train.py", line: 13 },
        count: 300,
        seconds: 0.412,
    });
    expect(profile.operators).toEqual(form.operators);
    expect(profile.operatorsLeftOut).toBe(form.operatorsLeftOut);
});

test("what is no list of operators is none", () => {
    expect(readForm({ form_version: 1, operators: "x" }).operators).toEqual([]);
    expect(readForm({ form_version: 1, operators: [7, { name: 5 }] }).operators[1].name).toBe("");
});
