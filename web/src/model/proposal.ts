// SPDX-License-Identifier: Apache-2.0
// Proposals of a model: who can be asked, what is sent, and what comes back, line by line.
import { fields, list, number, text } from "./reader";

export interface Provider {
    name: string;
    title: string;
    model: string;
    address: string;
    hasKey: boolean; // in the environment of the server
    keyVariables: string[];
    keyNote: string; // what who types one has to know
}

/** What would be sent, and where. */
export interface Preview {
    destination: string;
    isLocal: boolean;
    model: string;
    system: string;
    user: string;
    first: number;
    last: number;
}

export interface DiffRow {
    kind: "same" | "removed" | "added";
    old: number; // 0: none
    new: number;
    text: string;
}

export interface Change {
    rows: DiffRow[];
    code: string;
    patch: string;
}

/** One line of the server's stream; only what it has is set. */
export interface Piece {
    text?: string;
    model?: string;
    problem?: string;
    change?: Change;
}

export function readProviders(document: unknown): { providers: Provider[]; usual: string } {
    const root = fields(document);
    const providers = list(root.providers).map((entry) => {
        const row = fields(entry);
        return {
            name: text(row.name),
            title: text(row.title),
            model: text(row.model),
            address: text(row.address),
            hasKey: row.has_key === true,
            keyVariables: list(row.key_variables).map((name) => text(name)),
            keyNote: text(row.key_note),
        };
    });
    return { providers, usual: text(root.default) };
}

export function readPreview(document: unknown): Preview {
    const root = fields(document);
    return {
        destination: text(root.destination),
        isLocal: root.is_local === true,
        model: text(root.model),
        system: text(root.system),
        user: text(root.user),
        first: number(root.first),
        last: number(root.last),
    };
}

function readRow(value: unknown): DiffRow {
    const row = fields(value);
    const kind = row.kind === "removed" || row.kind === "added" ? row.kind : "same";
    return { kind, old: number(row.old), new: number(row.new), text: text(row.text) };
}

export function readPiece(line: string): Piece {
    const root = fields(JSON.parse(line));
    const piece: Piece = {};
    if (typeof root.text === "string") piece.text = root.text;
    if (typeof root.model === "string") piece.model = root.model;
    if (typeof root.problem === "string") piece.problem = root.problem;
    if (Array.isArray(root.rows)) {
        piece.change = { rows: root.rows.map(readRow), code: text(root.code), patch: text(root.patch) };
    }
    return piece;
}

/** Two columns: what is removed stands beside what is added. */
export function sideBySide(rows: DiffRow[]): [DiffRow | null, DiffRow | null][] {
    const pairs: [DiffRow | null, DiffRow | null][] = [];
    let removed: DiffRow[] = [];
    let added: DiffRow[] = [];
    const flush = () => {
        for (let at = 0; at < Math.max(removed.length, added.length); at++) {
            pairs.push([removed[at] ?? null, added[at] ?? null]);
        }
        removed = [];
        added = [];
    };
    for (const row of rows) {
        if (row.kind === "removed") removed.push(row);
        else if (row.kind === "added") added.push(row);
        else {
            flush();
            pairs.push([row, row]);
        }
    }
    flush();
    return pairs;
}
