// SPDX-License-Identifier: Apache-2.0
// The one filter state. Every panel is a function of it; each part is a chip that can be taken away.
import { parseQuery } from "./search";

export type FramesShown = "mine" | "libraries" | "native" | "all";
export const FRAMES_SHOWN: Record<FramesShown, string> = {
    mine: "my code",
    libraries: "+ libraries",
    native: "+ native",
    all: "everything",
};

export interface Filter {
    time: [number, number] | null;
    threads: string[]; // by name, or as the program calls several of them
    processes: string[]; // their pids
    files: string[];
    kinds: string[];
    search: string;
    hidden: string[]; // functions whose samples are left out
    folded: string[]; // functions charged to their caller
    root: string; // only samples below this function
    frames: FramesShown;
    showIdle: boolean;
}

export const NO_FILTER: Filter = {
    time: null,
    threads: [],
    processes: [],
    files: [],
    kinds: [],
    search: "",
    hidden: [],
    folded: [],
    root: "",
    frames: "mine",
    showIdle: false,
};

export interface Chip {
    label: string;
    without: Filter;
}

const LISTS = [
    ["threads", "thread"],
    ["processes", "process"],
    ["files", "file"],
    ["kinds", "kind"],
    ["hidden", "without"],
    ["folded", "folded"],
] as const;

/** What is filtered, part by part, each with the state that is left when it is taken away. */
export function chipsOf(filter: Filter): Chip[] {
    const chips: Chip[] = [];
    if (filter.time) {
        const [from, to] = filter.time;
        chips.push({ label: `${trim(from)}–${trim(to)} s`, without: { ...filter, time: null } });
    }
    for (const [key, word] of LISTS) {
        for (const value of filter[key]) {
            const rest = filter[key].filter((other) => other !== value);
            chips.push({ label: `${word} ${value}`, without: { ...filter, [key]: rest } });
        }
    }
    if (filter.root) chips.push({ label: `below ${filter.root}`, without: { ...filter, root: "" } });
    if (filter.search) chips.push({ label: `search ${filter.search}`, without: { ...filter, search: "" } });
    return chips;
}

function trim(value: number): string {
    return String(Number(value.toFixed(3)));
}

/** Whether rows must be computed anew from the samples: of a search only th: asks for that, the rest chooses among them. */
export function choosesSamples(filter: Filter): boolean {
    const lists = [filter.threads, filter.processes, filter.kinds, filter.hidden];
    if (filter.time !== null || filter.root !== "" || lists.some((list) => list.length > 0)) return true;
    return parseQuery(filter.search).threads.length > 0;
}

export function toggled(list: string[], value: string): string[] {
    return list.includes(value) ? list.filter((other) => other !== value) : [...list, value];
}
