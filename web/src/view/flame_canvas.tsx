// SPDX-License-Identifier: Apache-2.0
// One flame graph: click zooms, the boxes above the zoomed one lead out, arrows walk, a menu acts.
import { useEffect, useRef, useState } from "preact/hooks";
import { type Box, deepestRow, layout, NO_ZOOM, pathTo, restFrom, type Zoom } from "../model/flame_layout";
import { percent, plural } from "../model/quantity";
import type { Tree } from "../model/tree";
import { boxCloser, boxFurther, stepOut, toNode, toRest } from "../model/zoom";
import { openSource, say, selectFunction } from "./flame_actions";
import { ActionMenu } from "./flame_menu";
import { BOX_HEIGHT, type Colouring, type Look, nameOf, paintTree } from "./flame_paint";
import { filter, selection, shown } from "../state/store";
import { theme } from "./theme";
import { useRowScroll, useWheelZoom } from "./wheel";

interface FlameCanvasProps {
    tree: Tree;
    isUpward: boolean;
    colouring: Colouring;
    isMatch: ((fn: number) => boolean) | null;
    amount: (value: number) => string;
    label: string;
    zoom: Zoom;
    onZoom: (zoom: Zoom) => void;
}

export function FlameCanvas(props: FlameCanvasProps) {
    const { tree, zoom } = props;
    const canvas = useRef<HTMLCanvasElement>(null);
    const frame = useRef<HTMLDivElement>(null);
    const [at, setAt] = useState(zoom.node);
    const [hover, setHover] = useState<Box | null>(null);
    const [menu, setMenu] = useState<{ x: number; y: number; fn: number } | null>(null);
    const boxes = useRef<Box[]>([]);
    const active = at < tree.count ? at : zoom.node;
    const rows = deepestRow(tree) + 1;
    const { height, scroll, onWheel } = useRowScroll(rows, props.isUpward);
    const look: Look = {
        colouring: props.colouring,
        isUpward: props.isUpward,
        height,
        scroll,
        selected: selection.value.kind === "function" ? selection.value.row : -1,
        isMatch: props.isMatch,
    };
    useEffect(() => {
        const draw = () => {
            const element = canvas.current;
            if (!element || element.clientWidth === 0) return;
            const first = Math.floor(look.scroll / BOX_HEIGHT);
            boxes.current = layout(
                tree,
                zoom,
                element.clientWidth,
                first,
                first + Math.ceil(height / BOX_HEIGHT) + 1,
            );
            paintTree(element, shown.value, tree, boxes.current, look);
        };
        draw();
        const observer = new ResizeObserver(draw);
        if (canvas.current) observer.observe(canvas.current);
        return () => observer.disconnect();
    }, [
        tree,
        zoom.node,
        zoom.rest,
        look.scroll,
        look.selected,
        props.colouring,
        props.isMatch,
        props.isUpward,
        height,
        theme.value,
    ]);

    const boxAt = (event: MouseEvent): Box | null => {
        const place = (canvas.current as HTMLElement).getBoundingClientRect();
        const x = event.clientX - place.left;
        const y = event.clientY - place.top;
        const row = Math.floor((props.isUpward ? height - y : y) / BOX_HEIGHT + look.scroll / BOX_HEIGHT);
        return (
            boxes.current.find(
                (box) => box.row === row && x >= box.x && x <= box.x + Math.max(box.width, 1),
            ) ?? null
        );
    };
    const choose = (node: number) => {
        setAt(node);
        setHover(null);
        if (tree.function[node] >= 0) selectFunction(tree.function[node]);
        say(sentence(tree, node, props.amount));
    };
    const onClick = (event: MouseEvent) => {
        const box = boxAt(event);
        if (!box) return;
        choose(box.node);
        props.onZoom(box.merged > 0 ? toRest(tree, box.node) : toNode(box.node));
    };
    const onMove = (event: MouseEvent) => {
        const box = boxAt(event);
        setHover(box);
        if (box && box.merged === 0 && tree.function[box.node] >= 0) selectFunction(tree.function[box.node]);
    };
    const wheelZoom = useWheelZoom((direction, event) => {
        const box = boxAt(event);
        if (direction < 0) props.onZoom(boxFurther(tree, zoom));
        else if (box) props.onZoom(box.merged > 0 ? toRest(tree, box.node) : boxCloser(tree, zoom, box.node));
    });
    return (
        <div
            class="flame-frame"
            ref={frame}
            tabIndex={0}
            role="group"
            aria-label={`${props.label}. Arrow keys walk the boxes, Enter zooms, Escape leaves. The same is in the table.`}
            onKeyDown={(event) => walk(event, props, active, choose)}
            onWheel={(event) => wheelZoom(event) || onWheel(event)}
        >
            <canvas
                ref={canvas}
                aria-hidden="true"
                style={{ height: `${height}px` }}
                onClick={onClick}
                onMouseMove={onMove}
                onMouseLeave={() => setHover(null)}
                onContextMenu={(event) => {
                    const box = boxAt(event);
                    if (!box || tree.function[box.node] < 0) return;
                    event.preventDefault();
                    setMenu({ x: event.clientX, y: event.clientY, fn: tree.function[box.node] });
                }}
            />
            <p class="flame-status" aria-hidden="true">
                {hover ? boxSentence(tree, hover, props.amount) : sentence(tree, active, props.amount)}
            </p>
            {menu ? <ActionMenu {...menu} onClose={() => setMenu(null)} /> : null}
        </div>
    );
}

function boxSentence(tree: Tree, box: Box, amount: (value: number) => string): string {
    if (box.merged === 0) return sentence(tree, box.node, amount);
    return `${box.merged} more, ${amount(box.seconds)}: click to see them`;
}

export function sentence(tree: Tree, node: number, amount: (value: number) => string): string {
    const whole = tree.total[0] || 1;
    const name = nameOf(shown.value, tree.function[node]);
    const share = percent((100 * tree.total[node]) / whole);
    return `${name}: ${amount(tree.total[node])}, ${share} of what is shown; self ${amount(tree.self[node])}`;
}

function walk(
    event: KeyboardEvent,
    props: FlameCanvasProps,
    active: number,
    choose: (node: number) => void,
): void {
    const { tree } = props;
    const moves: Record<string, () => number> = {
        [props.isUpward ? "ArrowUp" : "ArrowDown"]: () => tree.firstChild[active],
        [props.isUpward ? "ArrowDown" : "ArrowUp"]: () => tree.parent[active],
        ArrowRight: () => tree.nextSibling[active],
        ArrowLeft: () => siblingBefore(tree, active),
    };
    const move = moves[event.key];
    if (move) {
        const next = move();
        if (next >= 0 && (next === 0 || tree.total[next] > 0)) choose(next);
    } else if (event.key === "Enter") props.onZoom(toNode(active));
    else if (event.key === "Escape" && !isWhole(props.zoom)) props.onZoom(stepOut(tree, props.zoom));
    else if (event.key === "o" && tree.function[active] >= 0) openFrame(tree, active);
    else return;
    event.preventDefault();
    event.stopPropagation();
}

function isWhole(zoom: Zoom): boolean {
    return zoom.node === NO_ZOOM.node && zoom.rest < 0;
}

function siblingBefore(tree: Tree, node: number): number {
    if (node === 0) return -1;
    let before = -1;
    for (
        let child = tree.firstChild[tree.parent[node]];
        child >= 0 && child !== node;
        child = tree.nextSibling[child]
    ) {
        before = child;
    }
    return before;
}

function openFrame(tree: Tree, node: number): void {
    const { frames, functionNames } = shown.value;
    openSource(functionNames.file[tree.function[node]], frames.line[tree.frame[node]]);
}

const LEFT_OUT = -1;
const CRUMBS = 8;

/** The first and the last of a long path: what lies between can be reached from them. */
function ends(path: number[]): number[] {
    if (path.length <= CRUMBS) return path;
    return [path[0], LEFT_OUT, ...path.slice(2 - CRUMBS)];
}

/** The callers of the zoomed box, outermost first, as links that lead out. */
export function ZoomPath({ tree, zoom, onZoom }: Pick<FlameCanvasProps, "tree" | "zoom" | "onZoom">) {
    if (isWhole(zoom)) return null;
    return (
        <nav class="crumbs" aria-label="Zoomed into">
            {ends(pathTo(tree, zoom.node)).map((node) =>
                node === LEFT_OUT ? (
                    <span key="left out">› …</span>
                ) : (
                    <button key={node} type="button" class="link" onClick={() => onZoom(toNode(node))}>
                        {node === 0
                            ? filter.value.root
                                ? `below ${filter.value.root}`
                                : "everything"
                            : nameOf(shown.value, tree.function[node])}
                    </button>
                ),
            )}
            {zoom.rest >= 0 ? <span>› {plural(restFrom(tree, zoom.rest).count, "small one")}</span> : null}
        </nav>
    );
}
