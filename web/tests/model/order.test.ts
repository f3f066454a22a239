// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { largest, orderOf } from "../../src/model/order";

const values = Float64Array.from([0.5, 3, 0, 3, 1e-9, 120.25, 0]);

test("smallest first, and largest first, with equals in their own order", () => {
    expect([...orderOf(values, false)]).toEqual([2, 6, 4, 0, 1, 3, 5]);
    expect([...orderOf(values, true)]).toEqual([5, 1, 3, 0, 4, 2, 6]);
});

test("a hundred thousand values are ordered as a slow sort orders them", () => {
    let seed = 7;
    const many = Float64Array.from({ length: 100_000 }, () => {
        seed = (seed * 48271) % 2147483647;
        return seed % 1000;
    });
    const slow = [...many.keys()].sort((one, other) => many[other] - many[one] || one - other);
    expect([...orderOf(many, true)]).toEqual(slow);
});

test("the largest few", () => {
    expect(largest(values, 3)).toEqual([5, 1, 3]);
    expect(largest(Float64Array.of(1), 3)).toEqual([0]);
});
