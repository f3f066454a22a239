// SPDX-License-Identifier: Apache-2.0
// A model on loopback that speaks OpenAI's protocol: "slow" says a little and waits, any other answers at once.
import { type Server, createServer } from "node:http";
import type { AddressInfo } from "node:net";

export const HOSTILE = "<img src=x onerror=alert(1)>";
const CODE = `\`\`\`python\n    # Proposed optimization: one call ${HOSTILE}\n    total = sum(range(n))\n\`\`\`\n`;
/** What comes first of each answer. */
export const BEGINNING = CODE.slice(0, 20);

export class FakeModel {
    private server: Server;
    questions: { key: string; text: string }[] = [];
    gone = 0; // connections that were closed before they were answered
    address = "";

    constructor() {
        this.server = createServer((request, answer) => {
            if (request.method === "GET") {
                answer.end(JSON.stringify({ data: [{ id: "one" }, { id: "slow" }] }));
                return;
            }
            let text = "";
            request.on("data", (piece: Buffer) => (text += piece.toString()));
            request.on("end", () => {
                this.questions.push({ key: request.headers.authorization ?? "", text });
                const isSlow = (JSON.parse(text) as { model: string }).model === "slow";
                answer.writeHead(200, { "content-type": "text/event-stream" });
                const say = (content: string, end: string | null) =>
                    answer.write(
                        `data: ${JSON.stringify({ choices: [{ delta: { content }, finish_reason: end }] })}\n\n`,
                    );
                say(BEGINNING, null);
                answer.on("close", () => (this.gone += isSlow ? 1 : 0));
                if (isSlow) return;
                say(CODE.slice(BEGINNING.length), "stop");
                answer.end("data: [DONE]\n\n");
            });
        });
    }

    async start(): Promise<this> {
        await new Promise<void>((done) => this.server.listen(0, "127.0.0.1", done));
        this.address = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`;
        return this;
    }

    stop(): void {
        this.server.closeAllConnections();
        this.server.close();
    }
}
