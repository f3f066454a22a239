// SPDX-License-Identifier: Apache-2.0
// What a reader's browser has to load, and that nothing in it reaches for a network.
import { build } from "esbuild";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";

const web = new URL("../..", import.meta.url).pathname;

test("the page's code stays small", async () => {
    const { outputFiles } = await build({
        absWorkingDir: web,
        entryPoints: { page: "src/main.tsx" },
        outdir: "dist",
        bundle: true,
        minify: true,
        format: "iife",
        target: ["es2022"],
        charset: "ascii",
        jsx: "automatic",
        jsxImportSource: "preact",
        legalComments: "none",
        write: false,
    });
    const code = Buffer.concat(outputFiles.map((file) => file.contents));
    expect(code.length).toBeLessThanOrEqual(400_000);
    expect(gzipSync(code, { level: 9 }).length).toBeLessThanOrEqual(130_000);
    const text = code.toString("utf8");
    const addresses = [...text.matchAll(/\b(?:https?|wss?):\/\/[\w.-]+/g)].map(([address]) => address);
    expect(addresses.filter((address) => !address.startsWith("http://www.w3.org"))).toEqual([]);
    expect(text).not.toMatch(/\beval\(|new Function\(|sendBeacon/);
});
