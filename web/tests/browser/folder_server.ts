// SPDX-License-Identifier: Apache-2.0
// A web server that knows nothing of scalene: it gives out the files of one folder.
import { existsSync, readFileSync } from "node:fs";
import { type Server, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { basename, join } from "node:path";

export class FolderServer {
    private server: Server;
    readonly asked: string[] = [];
    address = "";

    constructor(folder: string) {
        this.server = createServer((request, answer) => {
            const path = new URL(request.url ?? "/", "http://localhost").pathname;
            const file = join(folder, basename(path));
            this.asked.push(path);
            const type = path.endsWith(".html") ? "text/html; charset=utf-8" : "application/json";
            answer.writeHead(existsSync(file) ? 200 : 404, { "content-type": type });
            answer.end(existsSync(file) ? readFileSync(file) : "none");
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
}
