// SPDX-License-Identifier: Apache-2.0
// usage: node build.mjs FOLDER [DEPFILE]
// Writes page.js (one classic script, as `file:` pages need it) and page.css into FOLDER, and what they were
// made of into DEPFILE, for make and ninja.
import { writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const [folder = "dist", depfile] = process.argv.slice(2);
const { metafile } = await build({
    absWorkingDir: here,
    entryPoints: { page: "src/main.tsx" },
    outdir: resolve(folder),
    bundle: true,
    minify: true,
    format: "iife",
    target: ["es2022"],
    charset: "ascii",
    legalComments: "none",
    jsx: "automatic",
    jsxImportSource: "preact",
    logLevel: "warning",
    metafile: true,
});
if (depfile) {
    const inputs = [...Object.keys(metafile.inputs), "build.mjs", "package-lock.json"];
    const names = inputs.map((name) => resolve(here, name).replace(/[ #]/g, "\\$&"));
    writeFileSync(depfile, `${folder}/page.js: ${names.join(" \\\n  ")}\n`);
}
