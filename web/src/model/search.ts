// SPDX-License-Identifier: Apache-2.0
// The search language: words, /regular expressions/, -not, file: fn: mod: th: kind: mb:>100.
// All terms must hold. A broken expression is told, and matches nothing rather than everything.

export interface Subject {
    text: string;
    file: string;
    function: string;
    megabytes?: number;
}

interface Term {
    isNegated: boolean;
    field: string;
    test: (subject: Subject) => boolean;
}

interface ThreadTerm {
    isNegated: boolean;
    test: (name: string) => boolean;
}

export interface Query {
    terms: Term[];
    kinds: string[]; // kind: and th: terms choose samples, not rows
    threads: ThreadTerm[];
    problem: string;
}

const WORD = /(-?)(?:([a-z]+):)?(\/(?:[^/\\]|\\.)+\/|"[^"]*"|\S+)/g;
const FIELDS = ["file", "fn", "mod", "th", "kind", "mb"];

function matcher(word: string): (text: string) => boolean {
    if (word.length > 2 && word.startsWith("/") && word.endsWith("/")) {
        const pattern = new RegExp(word.slice(1, -1), "i");
        return (text) => pattern.test(text);
    }
    const wanted = word.replace(/^"(.*)"$/, "$1").toLowerCase();
    return (text) => text.toLowerCase().includes(wanted);
}

function comparison(word: string): (value: number) => boolean {
    const parts = /^([<>]=?|=?)(\d+(?:\.\d+)?)$/.exec(word);
    if (!parts) throw new Error(`mb: wants a number, as in mb:>100, not ${word}`);
    const limit = Number(parts[2]);
    switch (parts[1]) {
        case ">":
            return (value) => value > limit;
        case "<":
            return (value) => value < limit;
        case "<=":
            return (value) => value <= limit;
        default:
            return (value) => value >= limit;
    }
}

function moduleOf(file: string): string {
    return file.replace(/\.py$/, "").replace(/\//g, ".");
}

function conditionOf(field: string, word: string): Term["test"] {
    if (field === "mb") {
        const compare = comparison(word);
        return (subject) => compare(subject.megabytes ?? 0);
    }
    const match = matcher(word);
    switch (field) {
        case "file":
            return (subject) => match(subject.file);
        case "fn":
            return (subject) => match(subject.function);
        case "mod":
            return (subject) => match(moduleOf(subject.file));
        default:
            return (subject) => match(subject.text) || match(subject.function) || match(subject.file);
    }
}

export function parseQuery(text: string): Query {
    const query: Query = { terms: [], kinds: [], threads: [], problem: "" };
    for (const [whole, minus, maybeField, maybeWord] of text.slice(0, 1000).matchAll(WORD)) {
        const isField = FIELDS.includes(maybeField ?? "");
        const field = isField ? maybeField : "";
        const word = isField ? maybeWord : whole.slice(minus.length);
        if (word === "") continue;
        try {
            if (field === "kind") query.kinds.push((minus ? "-" : "") + word);
            else if (field === "th") query.threads.push({ isNegated: minus === "-", test: matcher(word) });
            else query.terms.push({ isNegated: minus === "-", field, test: conditionOf(field, word) });
        } catch (error) {
            query.problem = error instanceof Error ? error.message : String(error);
            query.terms.push({ isNegated: false, field, test: () => false });
        }
    }
    return query;
}

export function matches(query: Query, subject: Subject): boolean {
    return query.terms.every((term) => term.test(subject) !== term.isNegated);
}

export function threadMatches(query: Query, name: string): boolean {
    return query.threads.every((term) => term.test(name) !== term.isNegated);
}

/** kind:wait stands for every wait; kind:-… takes kinds away. */
export function kindMatches(wanted: string[], kind: string): boolean {
    const isUnder = (name: string) => kind === name || kind.startsWith(`${name}.`);
    const refused = wanted.filter((name) => name.startsWith("-")).map((name) => name.slice(1));
    const accepted = wanted.filter((name) => !name.startsWith("-"));
    if (refused.some(isUnder)) return false;
    return accepted.length === 0 || accepted.some(isUnder);
}
