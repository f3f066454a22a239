// SPDX-License-Identifier: Apache-2.0
// Python in colours. A file is parsed once; only lines in sight are coloured, as elements, never as HTML.
import { highlightTree, tagHighlighter, tags } from "@lezer/highlight";
import { parser } from "@lezer/python";
import type { Tree } from "@lezer/common";
import type { ComponentChildren } from "preact";
import { visible } from "../model/quantity";

const CLASSES = tagHighlighter([
    { tag: tags.keyword, class: "k" },
    { tag: tags.controlKeyword, class: "k" },
    { tag: tags.definitionKeyword, class: "k" },
    { tag: tags.operatorKeyword, class: "k" },
    { tag: tags.moduleKeyword, class: "k" },
    { tag: tags.string, class: "s" },
    { tag: tags.special(tags.string), class: "s" },
    { tag: tags.comment, class: "c" },
    { tag: tags.number, class: "n" },
    { tag: tags.bool, class: "n" },
    { tag: tags.null, class: "n" },
    { tag: tags.function(tags.definition(tags.variableName)), class: "f" },
    { tag: tags.definition(tags.className), class: "f" },
    { tag: tags.className, class: "f" },
    { tag: tags.meta, class: "m" },
]);

const MOST_CHARACTERS = 2_000_000;
const MOST_OF_A_LINE = 1000;

interface Parsed {
    tree: Tree | null;
    text: string;
    starts: number[];
}

const parsed = new WeakMap<string[], Parsed>();

function parseOf(lines: string[]): Parsed {
    let known = parsed.get(lines);
    if (!known) {
        const text = lines.join("\n");
        const starts: number[] = [];
        let at = 0;
        for (const line of lines) {
            starts.push(at);
            at += line.length + 1;
        }
        known = { tree: text.length > MOST_CHARACTERS ? null : parser.parse(text), text, starts };
        parsed.set(lines, known);
    }
    return known;
}

/** One line of a file as coloured spans, from a column on; lines count from 1. */
export function highlighted(lines: string[], line: number, column = 0): ComponentChildren {
    const source = lines[line - 1] ?? "";
    const { tree, text, starts } = parseOf(lines);
    if (!tree || source.length > MOST_OF_A_LINE) return visible(source.slice(column), MOST_OF_A_LINE);
    const from = starts[line - 1] + column;
    const to = starts[line - 1] + source.length;
    const pieces: ComponentChildren[] = [];
    let at = from;
    highlightTree(
        tree,
        CLASSES,
        (start, end, classes) => {
            const first = Math.max(start, from);
            const last = Math.min(end, to);
            if (last <= first) return;
            if (first > at) pieces.push(visible(text.slice(at, first)));
            pieces.push(<span class={classes}>{visible(text.slice(first, last))}</span>);
            at = last;
        },
        from,
        to,
    );
    if (at < to) pieces.push(visible(text.slice(at, to)));
    return pieces;
}
