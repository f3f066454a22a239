// SPDX-License-Identifier: Apache-2.0
// The built command: pages that it serves and writes, from profiles that a test makes up.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";

const root = new URL("../../..", import.meta.url).pathname;
export const command = process.env.SCALENE ?? join(root, "build/scalene");
export const hasCommand = existsSync(command);

export function profileFile(document: unknown): string {
    const path = join(mkdtempSync(join(tmpdir(), "scalene-page-")), "profile.json");
    writeFileSync(path, typeof document === "string" ? document : JSON.stringify(document));
    return path;
}

/** Writes a page of the profile beside it, and returns its path. */
export function writePage(profile: string, ...options: string[]): string {
    const page = profile.replace(/\.json$/, ".html");
    execFileSync(command, ["view", ...options, "-o", page, profile]);
    return page;
}

/** The viewer form in a page that --html wrote. */
export function formOf(page: string): { findings: { sentence: string }[] } {
    const form = /id="scalene-form">(.*?)<\/script>/s.exec(readFileSync(page, "utf8"));
    return JSON.parse(form?.[1] ?? "{}");
}

/** Whether a sentence is shown as it is written, everywhere: names in it may have characters that are not. */
export function isPlain(sentence: string): boolean {
    return /^[ -~±]+$/.test(sentence) && !sentence.includes("<");
}

/** All that a page of --standalone says, with its packed parts laid open. */
export function unpacked(page: string): string {
    const html = readFileSync(page, "utf8");
    const parts = [...html.matchAll(/<script type="text\/plain" id="[^"]*">(.*?)<\/script>/gs)];
    return [html, ...parts.map(([, part]) => gunzipSync(Buffer.from(part, "base64")).toString())].join("\n");
}

export class Served {
    /** Its exit status, when it has ended by itself. */
    readonly ended: Promise<number | null>;

    private constructor(
        private process: ChildProcess,
        readonly address: string,
    ) {
        this.ended = new Promise((done) => process.once("exit", done));
    }

    static async start(profile: string, ...options: string[]): Promise<Served> {
        const process = spawn(command, ["view", "--no-browser", ...options, profile], {
            stdio: ["ignore", "pipe", "inherit"],
        });
        let said = "";
        for await (const piece of process.stdout as AsyncIterable<Buffer>) {
            said += piece.toString();
            const address = /http:\/\/localhost:\d+\/[0-9a-f]{32}\//.exec(said);
            if (address) return new Served(process, address[0]);
        }
        throw new Error(`scalene view did not say where: ${said}`);
    }

    get isAlive(): boolean {
        return this.process.exitCode === null && this.process.signalCode === null;
    }

    /** What it has used so far; the kernel counts in hundredths. */
    cpuSeconds(): number {
        const fields = readFileSync(`/proc/${this.process.pid}/stat`, "utf8").split(") ")[1].split(" ");
        return (Number(fields[11]) + Number(fields[12])) / 100;
    }

    stop(): void {
        this.process.kill();
    }
}
