// SPDX-License-Identifier: Apache-2.0
// The page from top to bottom.
import type { ComponentType } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { TABS, type Tab } from "../model/link";
import { visible } from "../model/quantity";
import { showTab } from "../state/actions";
import { loadFile } from "../state/load";
import { banner, problem, profile, spoken, view } from "../state/store";
import { Chips } from "./chips";
import { Fence } from "./fence";
import { Findings } from "./findings";
import { FlamePanel } from "./flame";
import { FunctionsPanel } from "./functions";
import { FileChooser, Header } from "./header";
import { Help } from "./help";
import { LinesPanel } from "./lines";
import { MemoryPanel } from "./memory";
import { PrintLines } from "./print";
import { Receipt } from "./receipt";
import { SidePane } from "./side_pane";
import { SourcePanel } from "./source";
import { ThreadsPanel } from "./threads";
import { Timeline } from "./timeline";
import { Verdict } from "./verdict";
import { isWide } from "./width";

const PANELS: Record<Tab, { title: string; panel: ComponentType }> = {
    lines: { title: "Lines", panel: LinesPanel },
    source: { title: "Source", panel: SourcePanel },
    functions: { title: "Functions", panel: FunctionsPanel },
    flame: { title: "Flame", panel: FlamePanel },
    memory: { title: "Memory", panel: MemoryPanel },
    threads: { title: "Threads & processes", panel: ThreadsPanel },
};

export function App() {
    const [isOver, setOver] = useState(false);
    return (
        <div
            class={isOver ? "app is-over" : "app"}
            onDragOver={(event) => {
                event.preventDefault();
                setOver(true);
            }}
            onDragLeave={() => setOver(false)}
            onDrop={(event) => {
                event.preventDefault();
                setOver(false);
                const file = event.dataTransfer?.files[0];
                if (file) void loadFile(file);
            }}
        >
            <a class="skip" href="#panel" onClick={skip}>
                Skip to the table
            </a>
            <Header />
            {banner.value ? <p class="banner">{banner.value}</p> : null}
            {problem.value ? (
                <p class="problem-box" role="alert">
                    {visible(problem.value)}
                </p>
            ) : null}
            {profile.value ? <Body /> : <Welcome />}
            <Help />
            <p class="hidden" role="status" aria-live="polite">
                {spoken.value}
            </p>
        </div>
    );
}

/** A fragment is the page's state, so a link to an element must not change it. */
function skip(event: Event): void {
    event.preventDefault();
    const panel = document.getElementById("panel");
    (panel?.querySelector<HTMLElement>("[tabindex='0']") ?? panel)?.focus();
}

function Welcome() {
    return (
        <main class="welcome">
            <h2>Open a profile</h2>
            <p>
                Drop a profile here, or choose one: <code>scalene-profile.json</code>, of this Scalene or of
                the original. It is read in the browser and goes nowhere.
            </p>
            <p>
                <FileChooser />
            </p>
            <p class="note">
                To make one: <code>scalene run program.py</code>
            </p>
        </main>
    );
}

function Body() {
    const { ended } = (profile.value as NonNullable<typeof profile.value>).run;
    return (
        <>
            {ended ? (
                <p class="banner">
                    The program {ended.startsWith("still") ? "is " : ""}
                    {ended}. The profile is complete up to that moment.
                </p>
            ) : null}
            <Fence name="The verdict">
                <Verdict />
            </Fence>
            <Fence name="The list of findings">
                <Findings />
            </Fence>
            <div class="sticky">
                <Fence name="The timeline">
                    <Timeline />
                </Fence>
                <Tabs />
                <Chips />
            </div>
            <main class="work">
                <Panel key={view.value.tab} />
                {isWide.value ? (
                    <Fence name="The side pane">
                        <SidePane />
                    </Fence>
                ) : (
                    <Drawer />
                )}
            </main>
            <PrintLines />
            <Receipt />
        </>
    );
}

function Panel() {
    const { title, panel: Content } = PANELS[view.value.tab];
    return (
        <div class="panel" id="panel" role="tabpanel" tabIndex={-1} aria-labelledby={`tab-${view.value.tab}`}>
            <Fence name={title}>
                <Content />
            </Fence>
        </div>
    );
}

/** Where there is no room for two panes, details open below. */
function Drawer() {
    return (
        <details class="drawer">
            <summary>Details of the selection</summary>
            <Fence name="The side pane">
                <SidePane />
            </Fence>
        </details>
    );
}

/** Where there is no room for all tabs, the one that is shown is among those that are seen. */
function keepInSight(strip: HTMLElement | null, tab: HTMLElement | null): void {
    if (!strip || !tab) return;
    const { left, right } = tab.getBoundingClientRect();
    const box = strip.getBoundingClientRect();
    strip.scrollLeft += right > box.right ? right - box.right : Math.min(0, left - box.left);
}

function Tabs() {
    const strip = useRef<HTMLDivElement>(null);
    useEffect(
        () => keepInSight(strip.current, document.getElementById(`tab-${view.value.tab}`)),
        [view.value.tab],
    );
    const onKeyDown = (event: KeyboardEvent) => {
        const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
        if (step === 0) return;
        const next = TABS[(TABS.indexOf(view.value.tab) + step + TABS.length) % TABS.length];
        showTab(next);
        document.getElementById(`tab-${next}`)?.focus();
        event.preventDefault();
    };
    return (
        <div class="tabs" role="tablist" ref={strip} aria-label="Views" onKeyDown={onKeyDown}>
            {TABS.map((tab) => (
                <button
                    key={tab}
                    id={`tab-${tab}`}
                    type="button"
                    role="tab"
                    aria-selected={view.value.tab === tab}
                    aria-controls="panel"
                    tabIndex={view.value.tab === tab ? 0 : -1}
                    onClick={() => showTab(tab)}
                >
                    {PANELS[tab].title}
                </button>
            ))}
        </div>
    );
}
