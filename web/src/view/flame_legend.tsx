// SPDX-License-Identifier: Apache-2.0
// What the colours of a flame graph mean: always on the screen, whatever they are by.
import type { ComponentChildren } from "preact";
import { visible } from "../model/quantity";
import type { Tree } from "../model/tree";
import { shown } from "../state/store";
import { type Colouring, moduleColour } from "./flame_paint";
import { theme } from "./theme";

const MOST_MODULES = 6;

export function Legend({ colouring, tree }: { colouring: Colouring; tree: Tree }) {
    return (
        <p class="legend">
            {colouring === "kind" ? <Kinds /> : null}
            {colouring === "module" ? <Modules tree={tree} /> : null}
            {colouring === "self" ? <SelfShares /> : null}
        </p>
    );
}

function Key({ name, children }: { name: string; children: ComponentChildren }) {
    return (
        <span>
            <i class={`key ${name}`} /> {children}
        </span>
    );
}

function Kinds() {
    return (
        <>
            <Key name="python">Python</Key>
            <Key name="native">native</Key>
            <Key name="system">system</Key>
            <span class="note">lightness: module; a grey box stands for many small ones</span>
        </>
    );
}

function SelfShares() {
    return (
        <>
            <Key name="python">all of its time is its own</Key>
            <Key name="called">all of it is in what it called</Key>
            <span class="note">between them: a part of it</span>
        </>
    );
}

/** Paths by the time that their functions took themselves, the most first. */
function heaviestModules(tree: Tree): string[] {
    const { file } = shown.value.functionNames;
    const seconds = new Map<string, number>();
    for (let node = 1; node < tree.count; node++) {
        const path = file[tree.function[node]];
        seconds.set(path, (seconds.get(path) ?? 0) + tree.self[node]);
    }
    return [...seconds.keys()].sort((one, other) => (seconds.get(other) ?? 0) - (seconds.get(one) ?? 0));
}

function Modules({ tree }: { tree: Tree }) {
    const paths = heaviestModules(tree);
    const isDark = theme.value === "dark";
    return (
        <>
            {paths.slice(0, MOST_MODULES).map((path) => (
                <span key={path} title={path}>
                    <i class="key" style={{ background: moduleColour(path, isDark) }} />{" "}
                    {visible(path.split("/").pop() || path, 40)}
                </span>
            ))}
            <span class="note">
                {paths.length > MOST_MODULES ? `and ${paths.length - MOST_MODULES} more; ` : ""}a grey box
                stands for many small ones
            </span>
        </>
    );
}
