// SPDX-License-Identifier: Apache-2.0
// Paints boxes on one canvas of the window's size: hue by kind, lightness by module, names where they fit.
import type { Box } from "../model/flame_layout";
import type { Profile } from "../model/profile";
import { visible } from "../model/quantity";
import type { Span } from "../model/time_order";
import type { Tree } from "../model/tree";
import { cssColour, fitCanvas } from "./lanes";

export const BOX_HEIGHT = 19;
const OUTLINED = 3;
export type Colouring = "kind" | "module" | "self" | "memory";

export interface Look {
    colouring: Colouring;
    isUpward: boolean; // the root at the bottom
    height: number;
    scroll: number;
    selected: number; // function
    isMatch: ((fn: number) => boolean) | null;
}

interface Palette {
    fills: string[]; // by kind of time
    memory: string;
    ink: string;
    line: string;
    merged: string;
    accent: string;
    isDark: boolean;
}

function palette(): Palette {
    return {
        fills: ["python", "native", "system"].map((name) => cssColour(name)),
        memory: cssColour("memory-native"),
        ink: cssColour("box-ink"),
        line: cssColour("page"),
        merged: cssColour("lane"),
        accent: cssColour("accent"),
        isDark: document.documentElement.dataset.theme === "dark",
    };
}

export function paintTree(
    canvas: HTMLCanvasElement,
    profile: Profile,
    tree: Tree,
    boxes: Box[],
    look: Look,
): void {
    const context = fitCanvas(canvas);
    if (!context) return;
    const colours = palette();
    context.font = "12px system-ui, sans-serif";
    context.textBaseline = "middle";
    for (const box of boxes) {
        const fn = tree.function[box.node];
        const isDimmed = look.isMatch !== null && (fn < 0 || !look.isMatch(fn));
        const fill = box.merged > 0 ? colours.merged : fillOf(profile, tree, box.node, look, colours);
        const name = box.merged > 0 ? `${box.merged} more` : nameOf(profile, fn);
        paintBox(
            context,
            box,
            rowTop(box.row, look),
            fill,
            isDimmed,
            fn >= 0 && fn === look.selected,
            name,
            colours,
        );
    }
}

export function paintSpans(
    canvas: HTMLCanvasElement,
    profile: Profile,
    spans: Span[],
    range: [number, number],
    look: Look,
): void {
    const context = fitCanvas(canvas);
    if (!context) return;
    const colours = palette();
    const width = canvas.clientWidth;
    context.font = "12px system-ui, sans-serif";
    context.textBaseline = "middle";
    const scale = width / (range[1] - range[0] || 1);
    for (const span of spans) {
        const x = (span.start - range[0]) * scale;
        const wide = Math.max(1, (span.end - span.start) * scale);
        if (x > width || x + wide < 0) continue;
        const kind = profile.functionNames.isNative[span.function] ? 1 : 0;
        const fill = shade(colours.fills[kind], profile.functionNames.file[span.function], colours.isDark);
        const isDimmed = look.isMatch !== null && !look.isMatch(span.function);
        const box = { x, width: wide };
        const top = rowTop(span.row, look);
        const isSelected = span.function === look.selected;
        paintBox(
            context,
            box,
            top,
            fill,
            isDimmed,
            isSelected,
            profile.functionNames.name[span.function],
            colours,
        );
    }
}

export function rowTop(row: number, look: Pick<Look, "isUpward" | "height" | "scroll">): number {
    return look.isUpward
        ? look.height - (row + 1) * BOX_HEIGHT + look.scroll
        : row * BOX_HEIGHT - look.scroll;
}

export function nameOf(profile: Profile, fn: number): string {
    return fn < 0 ? "everything shown" : visible(profile.functionNames.name[fn], 120);
}

function paintBox(
    context: CanvasRenderingContext2D,
    box: { x: number; width: number },
    top: number,
    fill: string,
    isDimmed: boolean,
    isSelected: boolean,
    name: string,
    colours: Palette,
): void {
    context.globalAlpha = isDimmed ? 0.25 : 1;
    context.fillStyle = fill;
    // A line around a thin box would leave nothing of it.
    const isThin = box.width < OUTLINED && !isSelected;
    context.fillRect(box.x, top, box.width, isThin ? BOX_HEIGHT - 1 : BOX_HEIGHT);
    context.strokeStyle = isSelected ? colours.accent : colours.line;
    context.lineWidth = isSelected ? 3 : 1;
    if (!isThin) context.strokeRect(box.x + 0.5, top + 0.5, Math.max(0, box.width - 1), BOX_HEIGHT - 1);
    if (box.width > 28) {
        context.fillStyle = inkOn(fill);
        const text = fitted(
            context,
            name,
            Math.min(box.width, context.canvas.clientWidth - Math.max(0, box.x)) - 8,
        );
        context.fillText(text, Math.max(box.x, 0) + 4, top + BOX_HEIGHT / 2 + 0.5);
    }
    context.globalAlpha = 1;
}

function fitted(context: CanvasRenderingContext2D, name: string, width: number): string {
    if (name.length * 4 > width * 3) name = name.slice(0, Math.ceil(width / 3));
    if (context.measureText(name).width <= width) return name;
    while (name.length > 1 && context.measureText(`${name}…`).width > width) name = name.slice(0, -1);
    return name.length > 1 ? `${name}…` : "";
}

function fillOf(profile: Profile, tree: Tree, node: number, look: Look, colours: Palette): string {
    const fn = tree.function[node];
    if (fn < 0) return colours.merged;
    const groups = tree.groups.map((values) => values[node]);
    const kind = groups.indexOf(Math.max(...groups));
    const file = profile.functionNames.file[fn];
    if (look.colouring === "memory") return shade(colours.memory, file, colours.isDark);
    if (look.colouring === "module") return moduleColour(file, colours.isDark);
    if (look.colouring === "self") {
        const share = tree.total[node] > 0 ? tree.self[node] / tree.total[node] : 0;
        return mix(colours.fills[0], colours.merged, 1 - share);
    }
    return shade(colours.fills[kind], file, colours.isDark);
}

function hash(text: string): number {
    let value = 7;
    for (let index = 0; index < text.length; index++) value = (value * 31 + text.charCodeAt(index)) >>> 0;
    return value;
}

export function moduleColour(text: string, isDark: boolean): string {
    return hsl(hash(text) % 360, 0.45, isDark ? 0.45 : 0.72);
}

function shade(colour: string, text: string, isDark: boolean): string {
    const amount = (hash(text) % 5) * 0.06;
    return mix(colour, isDark ? "#000000" : "#ffffff", amount);
}

type Rgb = [number, number, number];

function rgb(colour: string): Rgb {
    const value = parseInt(colour.slice(1, 7), 16) || 0;
    return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}

function hex(parts: number[]): string {
    return `#${parts.map((part) => Math.round(part).toString(16).padStart(2, "0")).join("")}`;
}

function mix(one: string, other: string, amount: number): string {
    const [a, b] = [rgb(one), rgb(other)];
    return hex(a.map((part, index) => part + (b[index] - part) * amount));
}

function hsl(degrees: number, saturation: number, lightness: number): string {
    const reach = saturation * Math.min(lightness, 1 - lightness);
    const part = (offset: number) => {
        const turn = (offset + degrees / 30) % 12;
        return 255 * (lightness - reach * Math.max(-1, Math.min(turn - 3, 9 - turn, 1)));
    };
    return hex([part(0), part(8), part(4)]);
}

const inks = new Map<string, string>();

/** Black or white, whichever is read better on the colour. */
function inkOn(colour: string): string {
    let ink = inks.get(colour);
    if (!ink) {
        const linear = rgb(colour).map((part) =>
            part / 255 <= 0.04 ? part / 3294.6 : ((part / 255 + 0.055) / 1.055) ** 2.4,
        );
        const light = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
        ink = 1.05 / (light + 0.05) > (light + 0.05) / 0.05 ? "#ffffff" : "#000000";
        inks.set(colour, ink);
    }
    return ink;
}
