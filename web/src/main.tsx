// SPDX-License-Identifier: Apache-2.0
// Starts the page: what C wrote for readers without scripts gives way to the whole page.
import { render } from "preact";
import { followAddress } from "./state/actions";
import { isHosted, loadPage } from "./state/load";
import { profile } from "./state/store";
import { App } from "./view/app";
import { startKeys } from "./view/keys";
import { startTheme } from "./view/theme";
import "./page.css";

async function start(): Promise<void> {
    startTheme();
    startKeys();
    await loadPage();
    const place =
        document.getElementById("scalene-app") ?? document.body.appendChild(document.createElement("div"));
    render(<App />, place);
    const fixed = document.getElementById("scalene-static");
    if (fixed && (profile.value || isHosted())) fixed.hidden = true;
    window.addEventListener("popstate", followAddress);
    window.addEventListener("hashchange", followAddress);
    performance.mark("scalene-interactive");
}

void start();
