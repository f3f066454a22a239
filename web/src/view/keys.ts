// SPDX-License-Identifier: Apache-2.0
// The keyboard. One table says what each key does; the help dialog reads the same table. Keys of one letter
// can be switched off.
import { signal } from "@preact/signals";
import { FLAME_MODES, TABS } from "../model/link";
import {
    copyLink,
    go,
    openEditor,
    openSource,
    remember,
    remembered,
    reset,
    showTab,
    stepOut,
} from "../state/actions";
import { isHelpOpen, profile, selection, shown, view } from "../state/store";
import { FUNCTION_ACTIONS, hasSource } from "./flame_actions";
import { walkHotLines } from "./source";
import { switchTheme } from "./theme";

export const areLettersOn = signal(remembered("keys", "on") === "on");

export function switchLetters(isOn: boolean): void {
    areLettersOn.value = isOn;
    remember("keys", isOn ? "on" : "off");
}

interface Key {
    keys: string[];
    says: string;
    run?: (key: string) => void; // absent: the panel in focus handles it
}

function focus(id: string): void {
    document.getElementById(id)?.focus();
}

function onSelectedFunction(key: string): void {
    const action = FUNCTION_ACTIONS.find((item) => item.key === key);
    if (selection.value.kind !== "function" || !action) return;
    if (!action.needsSource || hasSource(selection.value.row)) action.run(selection.value.row);
}

function openSelected(): void {
    const { kind, row } = selection.value;
    const { lines, files } = shown.value;
    if (kind === "line" && row >= 0) openEditor(files[lines.file[row]].path, lines.line[row]);
    else onSelectedFunction("o");
}

function nextFlameMode(): void {
    const isInverted = view.value.tab === "flame" && view.value.flame === "inverted";
    go({ view: { tab: "flame", flame: isInverted ? FLAME_MODES[1] : "inverted" } });
}

export const KEYS: Key[] = [
    { keys: ["?"], says: "this help", run: () => (isHelpOpen.value = true) },
    { keys: ["/"], says: "search", run: () => focus("search") },
    {
        keys: TABS.map((_, index) => String(index + 1)),
        says: "tabs, from left to right",
        run: (key) => showTab(TABS[Number(key) - 1]),
    },
    { keys: ["↑", "↓", "j", "k"], says: "rows of the table in focus" },
    { keys: ["Enter"], says: "source of the row; zoom of the box" },
    { keys: ["o"], says: "open the selected place in the editor", run: openSelected },
    { keys: ["f"], says: "focus on the selected function", run: onSelectedFunction },
    { keys: ["x"], says: "hide the selected function", run: onSelectedFunction },
    { keys: ["i"], says: "inverted flame graph, and back", run: nextFlameMode },
    { keys: ["s"], says: "sandwich of the selected function", run: onSelectedFunction },
    {
        keys: ["n", "N"],
        says: "next and previous hot line of the file",
        run: (key) => walkHot(key === "n" ? 1 : -1),
    },
    {
        keys: ["t"],
        says: "timeline: then ← → move, Shift ← → resize, + - or Ctrl and the wheel zoom",
        run: () => focus("brush"),
    },
    {
        keys: ["[", "]"],
        says: "back and forward",
        run: (key) => (key === "[" ? history.back() : history.forward()),
    },
    { keys: ["Escape"], says: "one step out", run: stepOut },
    { keys: ["r"], says: "take all filters away", run: reset },
    { keys: ["y"], says: "copy a link to this view", run: () => void copyLink() },
    { keys: ["d"], says: "dark or light", run: switchTheme },
];

function walkHot(step: number): void {
    if (view.value.tab !== "source") openSource(shown.value.files[0]?.path ?? "", 0);
    walkHotLines(step);
}

export function startKeys(): void {
    document.addEventListener("keydown", (event) => {
        if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || !profile.value)
            return;
        const target = event.target as HTMLElement;
        if (/^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName) || document.querySelector("dialog[open]"))
            return;
        if (event.key.length === 1 && !areLettersOn.value) return;
        const key = KEYS.find((item) => item.run && item.keys.includes(event.key));
        if (!key) return;
        event.preventDefault();
        key.run?.(event.key);
    });
}
