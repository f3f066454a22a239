// SPDX-License-Identifier: Apache-2.0
// The line at the top: what ran, search, what frames are shown, units, theme, another profile, help.
import { useEffect, useState } from "preact/hooks";
import { FRAMES_SHOWN, type FramesShown } from "../model/filter";
import { visible } from "../model/quantity";
import { parseQuery } from "../model/search";
import { go } from "../state/actions";
import { loadFile } from "../state/load";
import { filter, isHelpOpen, matchStep, profile, view } from "../state/store";
import { switchTheme, theme } from "./theme";
import { isWide } from "./width";

const CLIPPED = 60;

export function Header() {
    return (
        <header class="top">
            <h1>
                scalene <Command />
            </h1>
            {profile.value ? <Search /> : null}
            {profile.value ? <Choices /> : null}
            <FileChooser />
            <button
                type="button"
                onClick={switchTheme}
                aria-label={`Switch to ${theme.value === "dark" ? "light" : "dark"} colours`}
            >
                {theme.value === "dark" ? "☀" : "☾"}
            </button>
            <button
                type="button"
                onClick={() => (isHelpOpen.value = true)}
                aria-label="Help: keys and search"
            >
                ?
            </button>
        </header>
    );
}

function Command() {
    const [isWhole, setWhole] = useState(false);
    const run = profile.value?.run;
    if (!run) return null;
    const command = visible(run.command || run.program, 4000);
    const isLong = command.length > CLIPPED;
    return (
        <span class="command">
            {isLong && !isWhole ? `${command.slice(0, CLIPPED)}…` : command}
            {isLong ? (
                <button type="button" class="link" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
                    {isWhole ? "less" : "more"}
                </button>
            ) : null}
        </span>
    );
}

/** Typing filters at once; the address follows without a step for each letter. */
function Search() {
    const [text, setText] = useState(filter.value.search);
    useEffect(() => setText(filter.value.search), [filter.value.search]);
    const { problem } = parseQuery(text);
    return (
        <search>
            <input
                id="search"
                type="search"
                value={text}
                placeholder={
                    isWide.value ? "/ search: words, /regex/, -not, file: fn: th: kind: mb:>100" : "/ search"
                }
                aria-label="Search"
                aria-invalid={problem !== ""}
                aria-describedby={problem ? "search-problem" : undefined}
                onInput={(event) => {
                    setText(event.currentTarget.value);
                    go({ filter: { search: event.currentTarget.value } }, false);
                }}
                onKeyDown={(event) => {
                    if (event.key === "Enter") walkMatches();
                    if (event.key === "Escape") event.currentTarget.blur();
                }}
            />
            {problem ? (
                <span id="search-problem" class="problem">
                    {visible(problem)}
                </span>
            ) : null}
        </search>
    );
}

/** In a flame graph Enter zooms to one match after the other, in a table it goes to the first. */
function walkMatches(): void {
    matchStep.value++;
    document.querySelector<HTMLElement>("#panel .grid")?.focus();
}

function Choices() {
    return (
        <>
            <label class="check">
                <span class="hidden">Frames shown</span>
                <select
                    value={filter.value.frames}
                    title="Whose code has boxes of its own in the flame graph"
                    onChange={(event) => go({ filter: { frames: event.currentTarget.value as FramesShown } })}
                >
                    {Object.entries(FRAMES_SHOWN).map(([id, name]) => (
                        <option key={id} value={id}>
                            {name}
                        </option>
                    ))}
                </select>
            </label>
            <div class="choices" role="group" aria-label="Unit">
                {(["s", "%"] as const).map((unit) => (
                    <button
                        key={unit}
                        type="button"
                        aria-pressed={view.value.unit === unit}
                        onClick={() => go({ view: { unit } }, false)}
                    >
                        {unit}
                    </button>
                ))}
            </div>
        </>
    );
}

export function FileChooser() {
    return (
        <label class="button file">
            Open…
            <input
                type="file"
                accept=".json,application/json"
                aria-label="Open another profile"
                onChange={(event) => {
                    const file = event.currentTarget.files?.[0];
                    if (file) void loadFile(file);
                    event.currentTarget.value = "";
                }}
            />
        </label>
    );
}
