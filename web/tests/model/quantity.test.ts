// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { count, megabytes, percent, plural, seconds, visible } from "../../src/model/quantity";

test.each([
    [seconds(0), "0 s"],
    [seconds(0.0000031), "3 µs"],
    [seconds(0.0042), "4.2 ms"],
    [seconds(0.0421), "42 ms"],
    [seconds(1.236), "1.24 s"],
    [seconds(123.4), "123 s"],
    [percent(0.004), "< 0.1 %"],
    [percent(12.34), "12.3 %"],
    [percent(100), "100 %"],
    [megabytes(0.5), "512 kB"],
    [megabytes(1536), "1.50 GB"],
    [megabytes(12.3), "12 MB"],
    [count(2_100_000), "2.1 M"],
    [plural(1, "thread"), "1 thread"],
    [plural(3, "process"), "3 processes"],
])("%s is %s", (text, expected) => expect(text).toBe(expected));

test("nothing in a name can act on the reader's screen", () => {
    expect(visible("a\u001b[31mb\u202ec")).toBe("a\ufffd[31mb\u25abc");
    expect(visible("x".repeat(10_000)).length).toBe(401);
});
