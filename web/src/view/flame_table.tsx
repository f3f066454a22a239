// SPDX-License-Identifier: Apache-2.0
// The twin of a flame graph: the same tree as a table that can be walked and read aloud.
import { useMemo, useState } from "preact/hooks";
import { percent, visible } from "../model/quantity";
import type { Tree } from "../model/tree";
import { selectFunction } from "../state/actions";
import { shown } from "../state/store";
import { nameOf } from "./flame_paint";
import { Grid } from "./grid";
import { NothingHere } from "./nothing";

interface FlameTableProps {
    id: string;
    tree: Tree;
    zoom: number;
    label: string;
    amount: (value: number) => string;
}

const OPEN_AT_FIRST = 40;

/** The heaviest path is open at first, so that it is seen without a click. */
function heaviestPath(tree: Tree, zoom: number): Set<number> {
    const open = new Set<number>([zoom]);
    for (
        let node = zoom;
        tree.firstChild[node] >= 0 && open.size < OPEN_AT_FIRST;
        node = tree.firstChild[node]
    ) {
        open.add(node);
    }
    return open;
}

function rowsOf(tree: Tree, zoom: number, open: Set<number>): number[] {
    const rows: number[] = [];
    const todo = [zoom];
    while (todo.length > 0) {
        const node = todo.pop() as number;
        rows.push(node);
        if (!open.has(node)) continue;
        const children: number[] = [];
        for (let child = tree.firstChild[node]; child >= 0; child = tree.nextSibling[child]) {
            if (tree.total[child] > 0) children.push(child);
        }
        while (children.length > 0) todo.push(children.pop() as number);
    }
    return rows;
}

export function FlameTable({ id, tree, zoom, label, amount }: FlameTableProps) {
    const [open, setOpen] = useState<Set<number>>(() => heaviestPath(tree, zoom));
    const [active, setActive] = useState(0);
    const rows = useMemo(() => rowsOf(tree, zoom, open), [tree, zoom, open]);
    const whole = tree.total[0] || 1;
    const toggle = (node: number, isOpen: boolean) => {
        const next = new Set(open);
        if (isOpen) next.add(node);
        else next.delete(node);
        setOpen(next);
    };
    const hasChildren = (node: number) => tree.firstChild[node] >= 0;
    const choose = (place: number) => {
        setActive(place);
        if (tree.function[rows[place]] >= 0) selectFunction(tree.function[rows[place]]);
    };
    return (
        <Grid
            id={id}
            role="treegrid"
            label={label}
            columns={[
                { id: "name", title: "Function", width: "minmax(220px, 1fr)", isText: true },
                { id: "share", title: "Share", width: "80px" },
                { id: "total", title: "With callees", width: "100px" },
                { id: "self", title: "Self", width: "100px" },
                { id: "file", title: "File", width: "minmax(100px, 240px)", isText: true },
            ]}
            count={rows.length}
            active={Math.min(active, rows.length - 1)}
            rowAttributes={(place) => ({
                "aria-level": tree.depth[rows[place]] - tree.depth[zoom] + 1,
                "aria-expanded": hasChildren(rows[place]) ? open.has(rows[place]) : undefined,
            })}
            cells={(place) => {
                const node = rows[place];
                const fn = tree.function[node];
                const level = tree.depth[node] - tree.depth[zoom];
                return [
                    <span style={{ paddingLeft: `${Math.min(level, 30) * 12}px` }}>
                        <button
                            type="button"
                            tabIndex={-1}
                            class="twist"
                            aria-hidden="true"
                            onClick={() => toggle(node, !open.has(node))}
                        >
                            {hasChildren(node) ? (open.has(node) ? "▾" : "▸") : "·"}
                        </button>{" "}
                        {nameOf(shown.value, fn)}
                    </span>,
                    percent((100 * tree.total[node]) / whole),
                    amount(tree.total[node]),
                    amount(tree.self[node]),
                    <span class="dim">
                        {fn < 0 ? "" : visible(shown.value.functionNames.file[fn].split("/").pop() ?? "")}
                    </span>,
                ];
            }}
            onActive={choose}
            onOpen={(place) => toggle(rows[place], !open.has(rows[place]))}
            onKey={(event, place) => {
                if (event.key !== "ArrowRight" && event.key !== "ArrowLeft") return false;
                toggle(rows[place], event.key === "ArrowRight");
                return true;
            }}
            empty={<NothingHere what="stacks" />}
        />
    );
}
