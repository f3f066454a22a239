// SPDX-License-Identifier: Apache-2.0
// Flame: five ways to look at the same stacks, each also as a table.
import { computed, signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { NO_ZOOM, type Zoom } from "../model/flame_layout";
import { functionId } from "../model/function_id";
import { FLAME_MODES, type FlameMode } from "../model/link";
import { plural, seconds } from "../model/quantity";
import { matches, parseQuery } from "../model/search";
import { callersTree, invertedTree, shapeOf, type Tree, treeOf } from "../model/tree";
import { toNode, zoomIn } from "../model/zoom";
import { go } from "../state/actions";
import { filter, matchStep, shown, view, weights } from "../state/store";
import { Check } from "./check";
import { FlameCanvas, ZoomPath } from "./flame_canvas";
import { Legend } from "./flame_legend";
import type { Colouring } from "./flame_paint";
import { FlameTable } from "./flame_table";
import { NothingHere } from "./nothing";
import { TimeOrder } from "./time_order";

export const isTable = signal(false);
const colouring = signal<Colouring>("kind");

const MODE_NAMES: Record<FlameMode, string> = {
    flame: "Flame",
    icicle: "Icicle",
    inverted: "Inverted",
    sandwich: "Sandwich",
    time: "Time order",
};
const MODE_HINTS: Record<FlameMode, string> = {
    flame: "callers below, callees above; wide is much time",
    icicle: "callers above, callees below; wide is much time",
    inverted: "from the functions that ran themselves up to who called them",
    sandwich: "one function: who called it above, what it called below",
    time: "stacks as they followed each other",
};

/** Folding changes the shape; time and threads only what it weighs. */
const shapeKey = computed(() => {
    const { frames, folded, root } = filter.value;
    return JSON.stringify([frames, folded, root]);
});
const shape = computed(() => {
    void shapeKey.value;
    return shapeOf(shown.value, filter.peek());
});
const tree = computed(() => treeOf(shape.value, weights.value));
const inverted = computed(() => invertedTree(shown.value, filter.value, weights.value));

/** The function of a sandwich: the chosen one, else the heaviest by itself. */
function sandwiched(): string {
    if (view.value.function) return view.value.function;
    const first = inverted.value.firstChild[0];
    return first < 0 ? "" : functionId(shown.value, inverted.value.function[first]);
}

function matcher(): ((fn: number) => boolean) | null {
    const query = parseQuery(filter.value.search);
    if (query.terms.length === 0) return null;
    const { functionNames } = shown.value;
    return (fn) => {
        const name = functionNames.name[fn];
        return matches(query, { text: name, function: name, file: functionNames.file[fn] });
    };
}

/** Nodes that match, without those below another match, the heaviest first. */
function matchedNodes(tree: Tree, isMatch: (fn: number) => boolean): number[] {
    const isUnder = new Uint8Array(tree.count);
    const found: number[] = [];
    for (let node = 1; node < tree.count; node++) {
        const isHit = tree.total[node] > 0 && isMatch(tree.function[node]);
        if (isHit && !isUnder[tree.parent[node]]) found.push(node);
        isUnder[node] = isHit || isUnder[tree.parent[node]] ? 1 : 0;
    }
    return found.sort((one, other) => tree.total[other] - tree.total[one]);
}

export function matchedSeconds(isMatch: (fn: number) => boolean): number {
    return matchedNodes(tree.value, isMatch).reduce((sum, node) => sum + tree.value.total[node], 0);
}

export function FlamePanel() {
    const mode = view.value.flame;
    const isMatch = matcher();
    if (shown.value.samples.time.length === 0) {
        return (
            <p class="note">
                {shown.value.run.missing.stacks ?? "This profile has no stacks."} Run with --stacks to record
                them.
            </p>
        );
    }
    return (
        <div class="panel-body">
            <div class="toolbar">
                <div class="choices" role="group" aria-label="Kind of graph">
                    {FLAME_MODES.map((name) => (
                        <button
                            key={name}
                            type="button"
                            aria-pressed={mode === name}
                            title={MODE_HINTS[name]}
                            onClick={() => go({ view: { flame: name } })}
                        >
                            {MODE_NAMES[name]}
                        </button>
                    ))}
                </div>
                <label class="check">
                    colour{" "}
                    <select
                        value={colouring.value}
                        onChange={(event) => (colouring.value = event.currentTarget.value as Colouring)}
                    >
                        <option value="kind">by kind</option>
                        <option value="module">by module</option>
                        <option value="self">by self share</option>
                    </select>
                </label>
                <Check isOn={isTable.value} set={(isOn) => (isTable.value = isOn)}>
                    as table
                </Check>
                <span class="note">{MODE_HINTS[mode]}</span>
                {isMatch && mode !== "time" ? (
                    <span class="note">matched: {seconds(matchedSeconds(isMatch))}</span>
                ) : null}
            </div>
            <Legend colouring={mode === "time" ? "kind" : colouring.value} tree={tree.value} />
            <Graph mode={mode} isMatch={isMatch} />
        </div>
    );
}

function Graph({ mode, isMatch }: { mode: FlameMode; isMatch: ((fn: number) => boolean) | null }) {
    if (mode === "time") return <TimeOrder isMatch={isMatch} isTable={isTable.value} />;
    if (mode === "sandwich") return <Sandwich isMatch={isMatch} />;
    const shownTree = mode === "inverted" ? inverted.value : tree.value;
    return (
        <Zoomable
            key={mode}
            id={`flame-${mode}`}
            tree={shownTree}
            label={MODE_NAMES[mode]}
            isUpward={mode === "flame"}
            isMatch={isMatch}
        />
    );
}

interface ZoomableProps {
    id: string;
    tree: Tree;
    label: string;
    isUpward: boolean;
    isMatch: ((fn: number) => boolean) | null;
    amount?: (value: number) => string;
    isMemory?: boolean;
}

const zooms = signal<Record<string, Zoom>>({});

export function Zoomable({ id, tree, label, isUpward, isMatch, amount = seconds, isMemory }: ZoomableProps) {
    const zoom = zoomIn(tree, zooms.value[id] ?? NO_ZOOM);
    const onZoom = (next: Zoom) => (zooms.value = { ...zooms.value, [id]: next });
    useEffect(() => void onZoom(NO_ZOOM), [tree.count]);
    useEffect(() => {
        const found = isMatch && matchStep.value > 0 ? matchedNodes(tree, isMatch) : [];
        if (found.length > 0) onZoom(toNode(found[(matchStep.value - 1) % found.length]));
    }, [matchStep.value]);
    if (tree.total[0] <= 0)
        return (
            <p class="note">
                <NothingHere what="stacks" />
            </p>
        );
    return (
        <>
            <ZoomPath tree={tree} zoom={zoom} onZoom={onZoom} />
            {isTable.value ? (
                <FlameTable
                    id={`${id}-table`}
                    tree={tree}
                    zoom={zoom.node}
                    label={`${label} as a table`}
                    amount={amount}
                />
            ) : (
                <FlameCanvas
                    tree={tree}
                    zoom={zoom}
                    onZoom={onZoom}
                    label={label}
                    isUpward={isUpward}
                    colouring={isMemory ? "memory" : colouring.value}
                    isMatch={isMatch}
                    amount={amount}
                />
            )}
            {tree.isCut ? (
                <p class="note">There are too many stacks to show: {plural(tree.count, "node")} are.</p>
            ) : null}
        </>
    );
}

function Sandwich({ isMatch }: { isMatch: ((fn: number) => boolean) | null }) {
    const name = sandwiched();
    const ids = [
        ...new Set(shown.value.functionNames.name.map((_, fn) => functionId(shown.value, fn))),
    ].sort();
    if (!name) return <NothingHere what="functions" />;
    const callers = callersTree(shown.value, filter.value, weights.value, name);
    const callees = treeOf(shapeOf(shown.value, filter.value, name), weights.value);
    return (
        <div class="sandwich">
            <label class="check">
                function{" "}
                <select
                    value={name}
                    onChange={(event) => go({ view: { function: event.currentTarget.value } })}
                >
                    {ids.slice(0, 5000).map((id) => (
                        <option key={id} value={id}>
                            {id}
                        </option>
                    ))}
                </select>
            </label>
            <h3>Callers</h3>
            <Zoomable
                id="sandwich-callers"
                tree={callers}
                label={`Callers of ${name}`}
                isUpward
                isMatch={isMatch}
            />
            <h3>Callees</h3>
            <Zoomable
                id="sandwich-callees"
                tree={callees}
                label={`Callees of ${name}`}
                isUpward={false}
                isMatch={isMatch}
            />
        </div>
    );
}
