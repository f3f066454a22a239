// SPDX-License-Identifier: Apache-2.0
// Asking a model, through the server that served this page: the server has the keys, calls the provider and
// streams its answer. A key that is typed here lives in a variable, goes with each question, and is gone on reload.
import { signal } from "@preact/signals";
import {
    type Change,
    type Piece,
    type Preview,
    type Provider,
    readPiece,
    readPreview,
    readProviders,
} from "../model/proposal";
import { fields, text } from "../model/reader";
import { say } from "./store";

export interface Settings {
    provider: string;
    model: string;
    address: string;
    aim: "time" | "memory";
    gpu: boolean;
    onlyLine: boolean;
    instructions: string;
}

export type Phase = "resting" | "shown" | "asking" | "done";

export interface Proposal {
    place: string; // "file:line" by numbers; what is selected may have changed since
    phase: Phase;
    preview: Preview | null;
    answer: string;
    change: Change | null;
    problem: string;
}

const RESTING: Proposal = {
    place: "",
    phase: "resting",
    preview: null,
    answer: "",
    change: null,
    problem: "",
};

export const settings = signal<Settings>({
    provider: "",
    model: "",
    address: "",
    aim: "time",
    gpu: false,
    onlyLine: false,
    instructions: "",
});
export const providers = signal<Provider[]>([]);
export const models = signal<string[]>([]);
export const proposal = signal<Proposal>(RESTING);

let key = "";
let isAsked = false;
let running: AbortController | null = null;
/** Where the person has agreed to send source text, since the page was loaded. */
const agreed = new Set<string>();

export function choose(change: Partial<Settings>): void {
    if (change.provider !== undefined) {
        key = "";
        models.value = [];
        change = { model: "", address: "", ...change };
    }
    settings.value = { ...settings.value, ...change };
    if (proposal.value.phase === "shown") proposal.value = RESTING;
}

export function typeKey(value: string): void {
    key = value;
}

export async function loadProviders(): Promise<void> {
    if (isAsked) return;
    isAsked = true;
    try {
        const read = readProviders(await (await fetch("providers.json")).json());
        providers.value = read.providers;
        if (!settings.value.provider) choose({ provider: read.usual });
    } catch (error) {
        proposal.value = { ...RESTING, problem: sentenceOf(error) };
    }
}

function sentenceOf(error: unknown): string {
    const why = error instanceof Error ? error.message : String(error);
    return `The server that served this page does not answer: ${why}`;
}

function bodyOf(file: number, line: number): string {
    const { provider, model, address, aim, gpu, onlyLine, instructions } = settings.value;
    return JSON.stringify({
        provider,
        model,
        address,
        key,
        file,
        line,
        aim,
        gpu,
        only_line: onlyLine,
        instructions,
    });
}

function post(place: string, body: string, abort?: AbortController): Promise<Response> {
    const headers = { "content-type": "application/json" };
    return fetch(place, { method: "POST", headers, body, signal: abort?.signal });
}

/** Shows what would be sent; sends it if the person has agreed to that destination before. */
export async function propose(file: number, line: number): Promise<void> {
    const place = `${file}:${line}`;
    try {
        const document: unknown = await (await post("prompt", bodyOf(file, line))).json();
        const problem = text(fields(document).problem);
        if (problem) {
            proposal.value = { ...RESTING, place, problem };
            return;
        }
        const preview = readPreview(document);
        proposal.value = { ...RESTING, place, phase: "shown", preview };
        if (agreed.has(preview.destination)) await send(file, line);
    } catch (error) {
        proposal.value = { ...RESTING, place, problem: sentenceOf(error) };
    }
}

/** The person has seen it and agrees. */
export async function send(file: number, line: number): Promise<void> {
    const { preview } = proposal.value;
    if (!preview) return;
    agreed.add(preview.destination);
    running = new AbortController();
    proposal.value = { ...proposal.value, phase: "asking", answer: "", change: null, problem: "" };
    try {
        await readLines(await post("proposal", bodyOf(file, line), running), take);
    } catch (error) {
        const problem = running?.signal.aborted ? "Cancelled." : sentenceOf(error);
        proposal.value = { ...proposal.value, problem };
    }
    running = null;
    proposal.value = { ...proposal.value, phase: "done" };
    say(proposal.value.problem || "The answer is complete.");
}

export function cancel(): void {
    running?.abort();
}

function take(piece: Piece): void {
    const { answer, change, problem } = proposal.value;
    proposal.value = {
        ...proposal.value,
        answer: answer + (piece.text ?? ""),
        change: piece.change ?? change,
        problem: piece.problem ?? problem,
    };
}

export async function loadModels(): Promise<void> {
    models.value = [];
    try {
        await readLines(await post("models", bodyOf(0, 1)), (piece) => {
            if (piece.model) models.value = [...models.value, piece.model];
            if (piece.problem) proposal.value = { ...RESTING, problem: piece.problem };
        });
    } catch (error) {
        proposal.value = { ...RESTING, problem: sentenceOf(error) };
    }
}

/** Documents, one a line, as they arrive; an empty line is a sign of life. */
async function readLines(answer: Response, read: (piece: Piece) => void): Promise<void> {
    if (!answer.ok || !answer.body) throw new Error(await answer.text());
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
        const { value, done } = await reader.read();
        if (done) return;
        const lines = (rest + value).split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) if (line) read(readPiece(line));
    }
}
