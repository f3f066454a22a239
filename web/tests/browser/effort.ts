// SPDX-License-Identifier: Apache-2.0
// What a page costs, in CPU time of its renderer's main thread: the clock would count what others do on this machine as
// well. It is told too, and is what a person waits for on a machine that has nothing else to do.
import type { CDPSession, Page } from "playwright-core";
import { slowness, work } from "../yardstick";
import { drawn } from "./browser";

export interface Cost {
    cpu: number; // seconds
    elapsed: number;
}

export class Effort {
    private yards: number[] = [];
    private isCompiled = false;

    private constructor(
        private page: Page,
        private session: CDPSession,
    ) {}

    static async of(page: Page): Promise<Effort> {
        const session = await page.context().newCDPSession(page);
        await session.send("Performance.enable", { timeDomain: "threadTicks" });
        return new Effort(page, session);
    }

    private async seconds(): Promise<number> {
        const { metrics } = await this.session.send("Performance.getMetrics");
        return metrics.find((metric) => metric.name === "TaskDuration")?.value ?? NaN;
    }

    async spent(act: () => Promise<unknown>): Promise<Cost> {
        const start = await this.seconds();
        const began = performance.now();
        await act();
        const elapsed = (performance.now() - began) / 1000;
        return { cpu: (await this.seconds()) - start, elapsed };
    }

    /** Until two frames later it is on the screen. */
    async shown(act: () => Promise<unknown>): Promise<Cost> {
        return this.spent(async () => {
            await act();
            await drawn(this.page);
        });
    }

    /** To be called between what is measured, so that both are of the same minutes. */
    async takeYard(): Promise<void> {
        if (!this.isCompiled) await this.page.evaluate(work);
        this.isCompiled = true;
        this.yards.push((await this.spent(() => this.page.evaluate(work))).cpu);
    }

    /** What was measured, and how slow the machine was just before, meanwhile and just after. */
    async phase<Measured>(measure: () => Promise<Measured>): Promise<[Measured, number]> {
        this.yards = [];
        await this.takeYard();
        const measured = await measure();
        await this.takeYard();
        return [measured, this.slowness];
    }

    get slowness(): number {
        return slowness(this.yards);
    }

    /** Megabytes that the page's scripts hold, their columns of numbers included. */
    async heldMegabytes(): Promise<number> {
        await this.session.send("HeapProfiler.collectGarbage");
        const usage = (await this.session.send("Runtime.getHeapUsage")) as unknown as Record<string, number>;
        return (usage.usedSize + (usage.backingStorageSize ?? 0)) / 2 ** 20;
    }
}

/** Of the CPU times, the one that this part of them does not exceed. */
export function quantile(costs: Cost[], part: number): number {
    const sorted = costs.map(({ cpu }) => cpu).sort((one, other) => one - other);
    return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))];
}

export const median = (costs: Cost[]) => quantile(costs, 0.5);

/** "34 ms (52 elapsed)": the middle one of each. */
export function told(costs: Cost[]): string {
    const elapsed = median(costs.map((cost) => ({ cpu: cost.elapsed, elapsed: 0 })));
    const ms = (seconds: number) => (seconds * 1000).toFixed(0);
    return `${ms(median(costs))} ms, at most ${ms(quantile(costs, 1))} (${ms(elapsed)} elapsed)`;
}
