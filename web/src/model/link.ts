// SPDX-License-Identifier: Apache-2.0
// The whole state as a fragment: #v1/source/train.py:88?t=1.2-3.4&th=main. Names, not numbers of rows,
// so that a link outlives a second run. What is unknown or broken in a link is passed over.
import { FRAMES_SHOWN, type Filter, type FramesShown, NO_FILTER } from "./filter";

export const TABS = ["lines", "source", "functions", "flame", "memory", "threads"] as const;
export type Tab = (typeof TABS)[number];
export const FLAME_MODES = ["flame", "icicle", "inverted", "sandwich", "time"] as const;
export type FlameMode = (typeof FLAME_MODES)[number];
export const MEMORY_QUESTIONS = ["peak", "now", "leaks", "churn", "copies", "stacks"] as const;
export type MemoryQuestion = (typeof MEMORY_QUESTIONS)[number];

export interface View {
    tab: Tab;
    file: string; // short name of the selected place
    line: number;
    flame: FlameMode;
    memory: MemoryQuestion;
    sort: string; // column of the table in view, "-" in front: ascending
    unit: "s" | "%";
    function: string; // the function of a sandwich
}

export const FIRST_VIEW: View = {
    tab: "lines",
    file: "",
    line: 0,
    flame: "icicle",
    memory: "peak",
    sort: "",
    unit: "s",
    function: "",
};

const LIST_KEYS = {
    th: "threads",
    pid: "processes",
    file: "files",
    kind: "kinds",
    hide: "hidden",
    fold: "folded",
} as const;

export function writeLink(view: View, filter: Filter): string {
    const query = new URLSearchParams();
    if (filter.time) query.set("t", filter.time.map((value) => Number(value.toFixed(6))).join("-"));
    for (const [key, field] of Object.entries(LIST_KEYS)) {
        for (const value of filter[field]) query.append(key, value);
    }
    const single: [string, string, string][] = [
        ["q", filter.search, ""],
        ["root", filter.root, ""],
        ["frames", filter.frames, NO_FILTER.frames],
        ["idle", filter.showIdle ? "1" : "", ""],
        ["flame", view.flame, FIRST_VIEW.flame],
        ["memory", view.memory, FIRST_VIEW.memory],
        ["fn", view.function, ""],
        ["sort", view.sort, ""],
        ["unit", view.unit, FIRST_VIEW.unit],
    ];
    for (const [key, value, usual] of single) if (value !== usual) query.set(key, value);
    const place = view.file ? `/${encodeURIComponent(view.file).replace(/%2F/g, "/")}:${view.line}` : "";
    const tail = query.toString();
    return `#v1/${view.tab}${place}${tail ? `?${tail}` : ""}`;
}

function parseTime(text: string | null): [number, number] | null {
    const parts = /^(\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)$/.exec(text ?? "");
    if (!parts) return null;
    const [from, to] = [Number(parts[1]), Number(parts[2])];
    return from < to ? [from, to] : null;
}

function choice<T extends string>(value: string | null, choices: readonly T[], usual: T): T {
    return choices.includes(value as T) ? (value as T) : usual;
}

function parsePlace(text: string): { file: string; line: number } {
    const parts = /^(.*?)(?::(\d+))?$/.exec(text);
    try {
        return { file: decodeURIComponent(parts?.[1] ?? ""), line: Number(parts?.[2] ?? 0) };
    } catch {
        return { file: "", line: 0 };
    }
}

export function readLink(fragment: string): { view: View; filter: Filter } {
    const parts = /^#v1\/([a-z]+)(?:\/([^?]*))?(?:\?(.*))?$/.exec(fragment);
    if (!parts) return { view: FIRST_VIEW, filter: NO_FILTER };
    const query = new URLSearchParams(parts[3] ?? "");
    const lists = Object.entries(LIST_KEYS).map(([key, field]) => [field, query.getAll(key)]);
    const filter: Filter = {
        ...NO_FILTER,
        ...Object.fromEntries(lists),
        time: parseTime(query.get("t")),
        search: query.get("q") ?? "",
        root: query.get("root") ?? "",
        frames: choice(query.get("frames"), Object.keys(FRAMES_SHOWN) as FramesShown[], NO_FILTER.frames),
        showIdle: query.get("idle") === "1",
    };
    const view: View = {
        tab: choice(parts[1], TABS, FIRST_VIEW.tab),
        ...parsePlace(parts[2] ?? ""),
        flame: choice(query.get("flame"), FLAME_MODES, FIRST_VIEW.flame),
        memory: choice(query.get("memory"), MEMORY_QUESTIONS, FIRST_VIEW.memory),
        function: query.get("fn") ?? "",
        sort: query.get("sort") ?? "",
        unit: choice(query.get("unit"), ["s", "%"], FIRST_VIEW.unit),
    };
    return { view, filter };
}
