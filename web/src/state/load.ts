// SPDX-License-Identifier: Apache-2.0
// Where a profile comes from: the page's own markup, the server it was served by, profile.json beside a
// hosted page, or a file that a person chooses or drops. Whatever goes wrong becomes one sentence.
import { batch } from "@preact/signals";
import { convert, isProfileJson } from "../model/convert";
import { readForm } from "../model/form";
import { type Fields, fields, text } from "../model/reader";
import { takeAddress } from "./actions";
import { stayConnected } from "./connection";
import { inflate } from "./inflate";
import { resetSources } from "./sources";
import { contents, problem, profile, selection, zooms } from "./store";

const MOST_BYTES = 200 * 1024 * 1024;

function readConfig(): Fields {
    const element = document.getElementById("scalene-config");
    return element ? fields(JSON.parse(element.textContent || "{}")) : {};
}

/** A page that C wrote without a profile: what stands in its markup is not worth keeping on the screen. */
export function isHosted(): boolean {
    return text(readConfig().mode) === "hosted";
}

export async function loadPage(): Promise<void> {
    const config = readConfig();
    const mode = text(config.mode);
    contents.value = text(config.contents);
    try {
        if (mode === "served") return await loadServed();
        if (mode === "hosted") return await loadHosted();
        const form = document.getElementById("scalene-form");
        if (form) {
            const content = form.textContent ?? "";
            const isPlain = form.getAttribute("type") === "application/json";
            return show(parse(isPlain ? content : await inflate(content)), false);
        }
    } catch (error) {
        problem.value = error instanceof Error ? error.message : String(error);
    }
}

async function loadServed(): Promise<void> {
    const answer = await fetch("form.json");
    if (!answer.ok) throw new Error(`The server answered ${answer.status}: run "scalene view" again.`);
    const form = await answer.text();
    await firstPaint();
    show(parse(form), true);
    stayConnected();
}

const PAINT_MS = 1000; // a window that nobody sees may never paint

/** What C wrote is on the screen: a large profile must not be read before. */
function firstPaint(): Promise<void> {
    const isKnown = PerformanceObserver.supportedEntryTypes?.includes("paint");
    if (document.visibilityState === "hidden" || !isKnown) return Promise.resolve();
    return new Promise((done) => {
        new PerformanceObserver(() => done()).observe({ type: "paint", buffered: true });
        setTimeout(done, PAINT_MS);
    });
}

async function loadHosted(): Promise<void> {
    if (!location.protocol.startsWith("http")) {
        throw new Error("This page reads the profile.json beside it from a web server, not from a disk.");
    }
    const answer = await fetch("profile.json");
    if (!answer.ok) {
        throw new Error(`There is no profile.json beside this page: its server answered ${answer.status}.`);
    }
    show(parse(await answer.text()), false);
}

export async function loadFile(file: File): Promise<void> {
    problem.value = "";
    if (file.size > MOST_BYTES) {
        const size = Math.round(file.size / 1024 / 1024);
        problem.value = `${file.name} has ${size} MB, more than a browser can show well. Run: scalene view ${file.name}`;
        return;
    }
    try {
        show(parse(await file.text()), false);
        contents.value = "";
    } catch (error) {
        problem.value = `${file.name}: ${error instanceof Error ? error.message : String(error)}`;
    }
}

function show(document: unknown, isServed: boolean): void {
    const isJson = isProfileJson(document);
    const converted = isJson ? convert(document) : null;
    const read = readForm(converted ? converted.form : document);
    batch(() => {
        resetSources(converted ? converted.sources : null, isServed);
        selection.value = { kind: "none", row: -1 };
        zooms.value = [];
        problem.value = "";
        profile.value = read;
        takeAddress();
    });
}

/** JSON.parse, with where it broke and what stands there. */
export function parse(json: string): unknown {
    try {
        return JSON.parse(json);
    } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        const at = Number(/position (\d+)/.exec(reason)?.[1] ?? json.length);
        const around = json.slice(Math.max(0, at - 20), at + 20).replace(/\s+/g, " ");
        throw new Error(
            `This is not whole JSON. It breaks at character ${at} of ${json.length}, near "${around}".`,
        );
    }
}
