// SPDX-License-Identifier: Apache-2.0
// What a person can do. Every change of filter or view goes through `go`, which also keeps the address, so
// that Back, reload and a copied link work. Where history is refused (a sandboxed frame), memory must do.
import { batch } from "@preact/signals";
import { type Filter, NO_FILTER, choosesSamples, toggled } from "../model/filter";
import { functionId } from "../model/function_id";
import { type Tab, type View, readLink, writeLink } from "../model/link";
import { largest } from "../model/order";
import { type Place, type Profile } from "../model/profile";
import { percent } from "../model/quantity";
import { rowAt, rowIndex } from "../model/rows";
import { type Range, zoomsWith } from "../model/zoom";
import { filter, lines, profile, say, selection, view, weights, zooms } from "./store";

interface Change {
    filter?: Partial<Filter>;
    view?: Partial<View>;
}

/** `isStep`: Back returns to what was before. Typing and arrow keys change the address without steps. */
export function go(change: Change, isStep = true): void {
    batch(() => {
        if (change.filter) filter.value = { ...filter.value, ...change.filter };
        if (change.view) view.value = { ...view.value, ...change.view };
    });
    keepAddress(isStep);
    if (change.filter && profile.value) sayShown();
}

function keepAddress(isStep: boolean): void {
    const link = writeLink(view.value, filter.value);
    try {
        if (link === location.hash) return;
        if (isStep) history.pushState(null, "", link);
        else history.replaceState(null, "", link);
    } catch {
        // Refused in a sandboxed frame: the signals hold the state.
    }
}

function sayShown(): void {
    if (!choosesSamples(filter.value)) return say("Filter applied. The whole run is shown.");
    const { shown, all } = weights.value;
    say(`Filter applied. ${percent(all > 0 ? (100 * shown) / all : 0)} of the CPU time is shown.`);
}

/** Back, Forward, or a link typed into the address. */
export function followAddress(): void {
    if (location.hash !== writeLink(view.value, filter.value)) takeAddress();
}

export function takeAddress(): void {
    const state = readLink(location.hash);
    batch(() => {
        filter.value = state.filter;
        view.value = state.view;
        selectPlace();
    });
}

export function showTab(tab: Tab): void {
    go({ view: { tab, sort: "" } });
}

/** Marks the line that the view names as the selected one, if the profile has it. */
export function selectPlace(): void {
    const current = profile.value;
    if (!current) return;
    if (!view.value.file) return selectHeaviest(current);
    const file = current.files.findIndex((item) => item.name === view.value.file);
    const row = file < 0 ? -1 : rowAt(rowIndex(current.lines), file, view.value.line);
    if (row >= 0) selection.value = { kind: "line", row };
}

/** At first the details are those of the line that took most. */
function selectHeaviest(current: Profile): void {
    const heaviest = current.lines.count > 0 ? largest(lines.value.time, 1)[0] : -1;
    if (heaviest >= 0 && selection.value.kind === "none") selection.value = { kind: "line", row: heaviest };
}

export function selectLine(row: number): void {
    const current = profile.value as Profile;
    selection.value = { kind: "line", row };
    go({ view: { file: current.files[current.lines.file[row]].name, line: current.lines.line[row] } }, false);
}

export function selectFunction(fn: number): void {
    selection.value = { kind: "function", row: fn };
}

export function openSource(path: string, line: number): void {
    const current = profile.value as Profile;
    const file = current.files.find((item) => item.path === path || item.name === path);
    if (!file) return say(`There is no profile of ${path}.`);
    go({ view: { tab: "source", file: file.name, line } });
    selectPlace();
    requestAnimationFrame(keepFocus);
}

/** A panel that goes takes the focus with it: the one that comes gets it, so that arrows go on working. */
function keepFocus(): void {
    if (document.activeElement === document.body) {
        document.querySelector<HTMLElement>("#panel .grid")?.focus({ preventScroll: true });
    }
}

/** What "show" beside a finding does: the place in Source, or the thread's lane. */
export function showPlace(place: Place): void {
    if (place.file && place.line) return openSource(place.file, place.line);
    if (place.thread) return go({ filter: { threads: [place.thread] }, view: { tab: "threads" } });
    showTab("lines");
}

export function selectTime(range: [number, number] | null, isStep = true): void {
    go({ filter: { time: range } }, isStep);
}

/** While a drag goes on: everything follows, the address waits for its end. */
export function dragTime(range: [number, number]): void {
    filter.value = { ...filter.value, time: range };
}

export function toggleThread(name: string): void {
    go({ filter: { threads: toggled(filter.value.threads, name) } });
}

export function toggleProcess(pid: number): void {
    go({ filter: { processes: toggled(filter.value.processes, String(pid)) } });
}

export function toggleFile(name: string): void {
    go({ filter: { files: toggled(filter.value.files, name) } });
}

/** The timeline comes closer to this part of the run, or leaves it. */
export function zoomTo(range: Range): void {
    zooms.value = zoomsWith(zooms.value, range, (profile.value as Profile).run.span);
}

/** Focus, hide, fold and sandwich of one function. */
export function focusFunction(fn: number): void {
    go({ filter: { root: functionId(profile.value as Profile, fn) } });
}

export function hideFunction(fn: number): void {
    go({ filter: { hidden: toggled(filter.value.hidden, functionId(profile.value as Profile, fn)) } });
}

export function foldFunction(fn: number): void {
    go({ filter: { folded: toggled(filter.value.folded, functionId(profile.value as Profile, fn)) } });
}

export function sandwichFunction(fn: number): void {
    const id = functionId(profile.value as Profile, fn);
    go({ view: { tab: "flame", flame: "sandwich", function: id } });
}

export function reset(): void {
    zooms.value = [];
    go({ filter: NO_FILTER, view: { sort: "" } });
}

const LISTS_OUT = ["hidden", "folded", "threads", "processes", "files", "kinds"] as const;

/** Esc: one step out, the innermost first; of what was chosen one after the other, the last. */
export function stepOut(): void {
    const { time, root, search } = filter.value;
    if (time) return selectTime(null);
    if (root) return go({ filter: { root: "" } });
    if (search) return go({ filter: { search: "" } });
    const list = LISTS_OUT.find((name) => filter.value[name].length > 0);
    if (list) return go({ filter: { [list]: filter.value[list].slice(0, -1) } });
    if (zooms.value.length > 0) zooms.value = zooms.value.slice(0, -1);
}

export async function copyText(text: string, what: string): Promise<void> {
    try {
        await navigator.clipboard.writeText(text);
        say(`${what} copied.`);
    } catch {
        say("The browser does not allow copying here.");
    }
}

export function copyLink(): Promise<void> {
    return copyText(location.href, "Link");
}

/** The place in an editor: a message for one that hosts the page, else an address that one may handle. */
export function openEditor(path: string, line: number): void {
    const pattern = remembered("editor", "vscode://file{path}:{line}");
    if (window.parent !== window) {
        window.parent.postMessage({ command: "jumpToLine", filePath: path, lineNumber: line }, "*");
    }
    const address = pattern.replace("{path}", encodeURI(path)).replace("{line}", String(line));
    const link = document.createElement("a");
    link.href = address;
    link.rel = "noreferrer";
    link.click();
}

/** Settings that outlive the page, where storage is allowed. */
export function remembered(name: string, usual: string): string {
    try {
        return localStorage.getItem(`scalene.${name}`) ?? usual;
    } catch {
        return usual;
    }
}

export function remember(name: string, value: string): void {
    try {
        localStorage.setItem(`scalene.${name}`, value);
    } catch {
        // No storage in a sandboxed frame: it is forgotten with the page.
    }
}
