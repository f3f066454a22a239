// SPDX-License-Identifier: Apache-2.0
// Serves the built page as scalene does, with the same policy, so that the page is tested without C.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { type Server, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

const web = new URL("../..", import.meta.url).pathname;
/** Of the timeline: where its time begins. */
export const AXIS_WIDTH = 76;
export const output = join(web, "tests/output");
const script = readFileSync(join(web, "dist/page.js"), "utf8");
const style = readFileSync(join(web, "dist/page.css"), "utf8");
const POLICY =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; form-action 'none'; base-uri 'none'";

export interface Shown {
    form?: unknown;
    sources?: string[];
}

function markup(head: string, body: string): string {
    return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>scalene</title>
<meta name="viewport" content="width=device-width, initial-scale=1">${head}</head>
<body><main id="scalene-static"><h1>scalene</h1><p>readable without scripts</p></main><div id="scalene-app"></div>${body}</body></html>`;
}

export class PageServer {
    private server: Server;
    shown: Shown = {};
    address = "";

    constructor() {
        this.server = createServer((request, answer) => {
            const path = new URL(request.url ?? "/", "http://localhost").pathname;
            const [type, body] = this.answerTo(path) ?? ["text/plain", null];
            const headers = {
                "content-type": type,
                "content-security-policy": POLICY,
                "cache-control": "no-store",
            };
            answer.writeHead(body === null ? 404 : 200, headers);
            if (path === "/alive") answer.write(": \n\n");
            else answer.end(body ?? "none");
        });
    }

    async start(): Promise<this> {
        await new Promise<void>((done) => this.server.listen(0, "127.0.0.1", done));
        this.address = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/`;
        return this;
    }

    stop(): void {
        this.server.closeAllConnections();
        this.server.close();
    }

    private answerTo(path: string): [string, string | null] | null {
        const mode = this.shown.form ? "served" : "html";
        const source = /^\/source\/(\d+)$/.exec(path);
        if (source) return ["text/plain; charset=utf-8", this.shown.sources?.[Number(source[1])] ?? null];
        switch (path) {
            case "/":
                return [
                    "text/html; charset=utf-8",
                    markup(
                        '<link rel="stylesheet" href="page.css"><script src="page.js" defer></script><link rel="icon" href="data:,">',
                        `<script type="application/json" id="scalene-config">{"mode":"${mode}"}</script>`,
                    ),
                ];
            case "/page.js":
                return ["text/javascript; charset=utf-8", script];
            case "/page.css":
                return ["text/css; charset=utf-8", style];
            case "/form.json":
                return ["application/json", JSON.stringify(this.shown.form)];
            case "/alive":
                return ["text/event-stream", ""];
            default:
                return null;
        }
    }
}

/** One file with everything inside, as --standalone writes it. */
export function writeStandalone(path: string, { form, sources = [] }: Shown): void {
    const packed = (text: string) => gzipSync(Buffer.from(text)).toString("base64");
    const parts = sources.map(
        (source, file) => `<script type="text/plain" id="scalene-source-${file}">${packed(source)}</script>`,
    );
    const hash = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
    const policy = `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; img-src data:; connect-src 'none'">`;
    const body = [
        '<script type="application/json" id="scalene-config">{"mode":"standalone"}</script>',
        `<script type="text/plain" id="scalene-form">${packed(JSON.stringify(form))}</script>`,
        ...parts,
        `<script>${script}</script>`,
    ];
    writeFileSync(path, markup(`${policy}<style>${style}</style>`, body.join("\n")));
}
