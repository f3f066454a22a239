// SPDX-License-Identifier: Apache-2.0
// A tab by the DevTools protocol alone: Playwright keeps its own pages from ever falling asleep.
import type { Browser, CDPSession } from "playwright-core";

interface Answer {
    id: number;
    result?: { result?: { value?: unknown } };
}

export class RawTab {
    private asked = 0;
    private waiting = new Map<number, (answer: Answer) => void>();

    private constructor(
        private browser: CDPSession,
        private targetId: string,
        private sessionId: string,
    ) {
        browser.on("Target.receivedMessageFromTarget", ({ message }: { message: string }) => {
            const answer = JSON.parse(message) as Answer;
            this.waiting.get(answer.id)?.(answer);
            this.waiting.delete(answer.id);
        });
    }

    static async open(browser: Browser, url: string, proxyServer: string): Promise<RawTab> {
        const session = await browser.newBrowserCDPSession();
        const { browserContextId } = await session.send("Target.createBrowserContext", {
            proxyServer,
            proxyBypassList: "<-loopback>",
        });
        const { targetId } = await session.send("Target.createTarget", { url, browserContextId });
        const { sessionId } = await session.send("Target.attachToTarget", { targetId });
        return new RawTab(session, targetId, sessionId);
    }

    private async ask(method: string, params: object = {}): Promise<Answer> {
        const id = ++this.asked;
        const answer = new Promise<Answer>((done) => this.waiting.set(id, done));
        await this.browser.send("Target.sendMessageToTarget", {
            sessionId: this.sessionId,
            message: JSON.stringify({ id, method, params }),
        });
        return answer;
    }

    async evaluate(expression: string): Promise<unknown> {
        return (await this.ask("Runtime.evaluate", { expression })).result?.result?.value;
    }

    /** As browsers do with tabs that nobody looks at. */
    async setAsleep(isAsleep: boolean): Promise<void> {
        await this.ask("Page.setWebLifecycleState", { state: isAsleep ? "frozen" : "active" });
    }

    async close(): Promise<void> {
        await this.browser.send("Target.closeTarget", { targetId: this.targetId });
        await this.browser.detach();
    }
}
