// SPDX-License-Identifier: Apache-2.0
// A proxy between browser and server that counts the beats of the page's stream: how a test knows, without a clock, that
// the server has gone on for a while.
import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";

export class Beats {
    count = 0;
    streams = 0; // that were opened
    address = "";
    private server: Server;

    constructor() {
        this.server = createServer((asked, answer) => {
            const url = new URL(asked.url ?? "");
            const isStream = url.pathname.endsWith("/alive");
            if (isStream) this.streams++;
            const onward = request(url, { method: asked.method, headers: asked.headers }, (reply) => {
                answer.writeHead(reply.statusCode ?? 502, reply.headers);
                reply.on("data", (data: Buffer) => {
                    if (isStream) this.count += data.toString().split(":\n\n").length - 1;
                });
                reply.pipe(answer);
            });
            onward.on("error", () => answer.destroy());
            answer.on("close", () => onward.destroy());
            asked.pipe(onward);
        });
    }

    async start(): Promise<this> {
        await new Promise<void>((done) => this.server.listen(0, "127.0.0.1", done));
        this.address = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
        return this;
    }

    stop(): void {
        this.server.closeAllConnections();
        this.server.close();
    }
}
