// SPDX-License-Identifier: Apache-2.0
// One page a test, closed after it; what it complained of fails the test.
import type { BrowserContextOptions, Page } from "playwright-core";
import { afterEach, expect } from "vitest";
import { openPage, type Watched } from "./browser";
import type { Shown } from "./page_server";
import type { Stage } from "./stage";

export class Visit {
    private watched: Watched | null = null;

    constructor(private stage: Stage) {
        afterEach(async () => {
            const { watched } = this;
            this.watched = null;
            await watched?.page.context().close();
            expect(watched?.complaints ?? []).toEqual([]);
        });
    }

    /** A profile on the stage's server. */
    open(shown: Shown, fragment = "", options: BrowserContextOptions = {}): Promise<Page> {
        this.stage.server.shown = shown;
        return this.at(this.stage.server.address + fragment, options);
    }

    async at(address: string, options: BrowserContextOptions = {}): Promise<Page> {
        this.watched = await openPage(this.stage.browser, address, options);
        return this.watched.page;
    }

    /** Complaints that a test provokes. */
    forgive(pattern: RegExp): void {
        if (this.watched)
            this.watched.complaints = this.watched.complaints.filter((text) => !pattern.test(text));
    }
}

export const rowTexts = (page: Page, grid: string) => page.locator(`#${grid} .grid-row`).allInnerTexts();
