// SPDX-License-Identifier: Apache-2.0
// Colours are read from the style itself: they must be told apart by everybody, and text must be legible.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const style = readFileSync(new URL("../../src/page.css", import.meta.url), "utf8");
type Triple = [number, number, number];

function colours(theme: "light" | "dark"): Record<string, Triple> {
    const block = style.split(theme === "light" ? ":root {" : ':root[data-theme="dark"] {')[1].split("}")[0];
    const found = [...block.matchAll(/--([\w-]+): #([0-9a-f]{6});/g)];
    return Object.fromEntries(
        found.map(([, name, hex]) => [
            name,
            [0, 2, 4].map((at) => linear(parseInt(hex.slice(at, at + 2), 16) / 255)) as Triple,
        ]),
    );
}

function linear(value: number): number {
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
}

const times = (matrix: number[][], [a, b, c]: Triple) =>
    matrix.map((row) => row[0] * a + row[1] * b + row[2] * c) as Triple;

const PROTANOPIA = [
    [0.11238, 0.88762, 0],
    [0.11238, 0.88762, 0],
    [0.00401, -0.00401, 1],
];
const DEUTERANOPIA = [
    [0.29275, 0.70725, 0],
    [0.29275, 0.70725, 0],
    [-0.02234, 0.02234, 1],
];
/** Two half-planes, on either side of the greys. */
const TRITANOPIA = [
    [
        [1.01277, 0.13548, -0.14826],
        [-0.01243, 0.86812, 0.14431],
        [0.07589, 0.805, 0.11911],
    ],
    [
        [0.93678, 0.18979, -0.12657],
        [0.06154, 0.81526, 0.1232],
        [-0.37562, 1.12767, 0.24796],
    ],
];
const TRITAN_SIDE = [0.03901, -0.02788, -0.01113];

/** Linear RGB as people with each kind of colour vision see it (Viénot, Brettel and Mollon's projections). */
const VISIONS: Record<string, (colour: Triple) => Triple> = {
    usual: (colour) => colour,
    protanopia: (colour) => times(PROTANOPIA, colour),
    deuteranopia: (colour) => times(DEUTERANOPIA, colour),
    tritanopia: (colour) => {
        const side = times([TRITAN_SIDE], colour)[0];
        return times(TRITANOPIA[side >= 0 ? 0 : 1], colour);
    },
};

function oklab(colour: Triple): Triple {
    const cone = times(
        [
            [0.4122214708, 0.5363325363, 0.0514459929],
            [0.2119034982, 0.6806995451, 0.1073969566],
            [0.0883024619, 0.2817188376, 0.6299787005],
        ],
        colour,
    ).map((value) => Math.cbrt(Math.max(0, value))) as Triple;
    return times(
        [
            [0.2104542553, 0.793617785, -0.0040720468],
            [1.9779984951, -2.428592205, 0.4505937099],
            [0.0259040371, 0.7827717662, -0.808675766],
        ],
        cone,
    );
}

function distance(one: Triple, other: Triple): number {
    const [a, b] = [oklab(one), oklab(other)];
    return 100 * Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

function contrast(one: Triple, other: Triple): number {
    const light = (colour: Triple) => 0.2126 * colour[0] + 0.7152 * colour[1] + 0.0722 * colour[2] + 0.05;
    return Math.max(light(one), light(other)) / Math.min(light(one), light(other));
}

/** The names of each chart's colours, and how far apart they are at least. */
const CHARTS = {
    time: { names: ["python", "native", "system", "waiting"], light: 21, dark: 10 },
    memory: { names: ["memory-python", "memory-native"], light: 20, dark: 20 },
};

for (const theme of ["light", "dark"] as const) {
    const palette = colours(theme);
    for (const [chart, { names, [theme]: least }] of Object.entries(CHARTS)) {
        test(`${theme}: the colours of the ${chart} chart are far enough apart for everybody`, () => {
            for (const [vision, see] of Object.entries(VISIONS)) {
                const seen = names.map((name) => see(palette[name]));
                for (let one = 0; one < seen.length; one++) {
                    for (let other = one + 1; other < seen.length; other++) {
                        expect(
                            distance(seen[one], seen[other]),
                            `${names[one]} and ${names[other]}, ${vision}`,
                        ).toBeGreaterThanOrEqual(least);
                    }
                }
            }
        });
    }
    test(`${theme}: text is legible on every ground it stands on`, () => {
        for (const ink of ["ink", "dim", "link", "k", "s", "c", "n", "f", "m"]) {
            for (const ground of ["page", "panel"]) {
                expect(contrast(palette[ink], palette[ground]), `${ink} on ${ground}`).toBeGreaterThan(4.5);
            }
        }
        for (const ink of ["ink", "k", "s", "c", "n", "f", "m"]) {
            for (const ground of ["active", "heat-1", "heat-2", "heat-3"]) {
                expect(contrast(palette[ink], palette[ground]), `${ink} on ${ground}`).toBeGreaterThan(4.5);
            }
        }
    });
}
