// SPDX-License-Identifier: Apache-2.0
// Source text, fetched when a row that needs it comes into sight. The profile's numbers do not wait for it.
import { signal } from "@preact/signals";
import { inflate } from "./inflate";
import { shown } from "./store";

export type Source = string[] | string; // lines, or why there are none

/** By file. A new map each time, so that who reads it is told. */
export const sources = signal<Map<number, Source>>(new Map());
const asked = new Set<number>();
/** The profile that is shown is the one that the server of this page has. */
export const isServed = signal(false);

export function resetSources(known: string[][] | null, served: boolean): void {
    asked.clear();
    isServed.value = served;
    const entries = (known ?? []).map((lines, file) => [file, lines] as const);
    entries.forEach(([file]) => asked.add(file));
    sources.value = new Map(entries);
}

export function sourceLine(file: number, line: number): string {
    const source = sources.value.get(file);
    return Array.isArray(source) ? (source[line - 1] ?? "") : "";
}

export function needSource(file: number): void {
    if (asked.has(file) || file < 0) return;
    asked.add(file);
    void load(file).then((source) => {
        sources.value = new Map(sources.value).set(file, source);
    });
}

async function load(file: number): Promise<Source> {
    const name = shown.value.files[file]?.name ?? "this file";
    try {
        const text = isServed.value ? await fetchText(`source/${file}`) : await embedded(file);
        return text === null ? `The source of ${name} is not part of this page.` : text.split(/\r\n|\n|\r/);
    } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        return `The source of ${name} could not be read: ${why}`;
    }
}

async function fetchText(address: string): Promise<string | null> {
    const answer = await fetch(address);
    if (answer.status === 404) return null;
    if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
    return answer.text();
}

async function embedded(file: number): Promise<string | null> {
    const element = document.getElementById(`scalene-source-${file}`);
    if (!element) return null;
    const text = element.textContent ?? "";
    return element.getAttribute("type") === "application/json" ? (JSON.parse(text) as string) : inflate(text);
}
