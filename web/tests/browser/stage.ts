// SPDX-License-Identifier: Apache-2.0
// What most tests of a file share: a browser, a server, and the demo programs with their profiles.
import { readFileSync } from "node:fs";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import { startBrowser } from "./browser";
import { PageServer, type Shown } from "./page_server";

export interface Stage {
    browser: Browser;
    server: PageServer;
}

export const fixtures = new URL("../fixtures/", import.meta.url).pathname;

/** Set up before the first test of the file, and taken down after the last. */
export function useStage(): Stage {
    const stage = {} as Stage;
    beforeAll(async () => {
        stage.browser = await startBrowser();
        stage.server = await new PageServer().start();
    });
    afterAll(async () => {
        await stage.browser.close();
        stage.server.stop();
    });
    return stage;
}

/** The profile of a demo program, made by `scalene run`, and its source. */
export function demo(name: string): Shown & { form: Demo } {
    return {
        form: JSON.parse(readFileSync(`${fixtures}${name}.form.json`, "utf8")),
        sources: [readFileSync(`${fixtures}${name}.py`, "utf8")],
    };
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests read what they know to be there
type Demo = any;
