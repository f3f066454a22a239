// SPDX-License-Identifier: Apache-2.0
// Debian's Chromium. A page that logs an error, breaks the policy or asks another host fails its test.
import { mkdirSync } from "node:fs";
import { type Browser, type BrowserContextOptions, type Page, chromium } from "playwright-core";
import { output } from "./page_server";

export async function startBrowser(): Promise<Browser> {
    mkdirSync(output, { recursive: true });
    return chromium.launch({
        executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
        args: ["--no-sandbox", "--disable-gpu", "--font-render-hinting=none"],
    });
}

export interface Watched {
    page: Page;
    complaints: string[];
}

export async function openPage(
    browser: Browser,
    address: string,
    options: BrowserContextOptions = {},
): Promise<Watched> {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
    const page = await context.newPage();
    page.setDefaultTimeout(30_000);
    const complaints: string[] = [];
    const own = new URL(address).origin;
    page.on("console", (message) => {
        const isAskedFor =
            /404/.test(message.text()) && /(profile\.json|source\/\d+)$/.test(message.location().url);
        if (message.type() === "error" && !isAskedFor) complaints.push(message.text());
    });
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("request", (request) => {
        const url = request.url();
        if (!url.startsWith(own) && !/^(data|blob|file):/.test(url)) complaints.push(`asked ${url}`);
    });
    await page.goto(address);
    await page.locator(".app").waitFor();
    return { page, complaints };
}

/** Two frames later what was changed is on the screen. */
export async function drawn(page: Page): Promise<void> {
    await page.evaluate(
        () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
    );
}
