// SPDX-License-Identifier: Apache-2.0
// Asking a model to rewrite a line or its region: what is sent is shown first, what comes back is text.
import { signal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { chipsOf } from "../model/filter";
import { offersOf } from "../model/offer";
import { promptFor } from "../model/prompt";
import { type Change, type DiffRow, sideBySide } from "../model/proposal";
import { visible } from "../model/quantity";
import {
    cancel,
    choose,
    loadModels,
    loadProviders,
    models,
    proposal,
    propose,
    providers,
    send,
    settings,
    typeKey,
} from "../state/proposal";
import { copyText, selectLine } from "../state/actions";
import { isServed, sources } from "../state/sources";
import { filter, shown } from "../state/store";
import "../proposal.css";
import { Check } from "./check";
import { Facts } from "./facts";

const MOST_TEXT = 300_000;
const isOpen = signal(false);

export function ProposalPanel({ row }: { row: number }) {
    const { lines: table, files } = shown.value;
    const file = table.file[row];
    const line = table.line[row];
    if (offersOf(shown.value)[row] === 0) return null;
    const onToggle = (isNow: boolean) => {
        isOpen.value = isNow;
        if (isNow && isServed.value) void loadProviders();
    };
    if (!isServed.value) {
        return (
            <details
                class="proposal"
                open={isOpen.value}
                onToggle={(event) => onToggle(event.currentTarget.open)}
            >
                <summary>A question for a model</summary>
                <HandPrompt row={row} />
            </details>
        );
    }
    return (
        <details
            class="proposal"
            open={isOpen.value}
            onToggle={(event) => onToggle(event.currentTarget.open)}
        >
            <summary>Ask a model for a proposal</summary>
            <Choices />
            <Buttons file={file} line={line} />
            <Outcome key={`${file}:${line}`} file={file} line={line} name={files[file].name} />
        </details>
    );
}

/** Beside a line that offers a proposal: selects it and opens the panel. */
export function OfferMark({ row }: { row: number }) {
    if (row < 0 || offersOf(shown.value)[row] === 0) return null;
    return (
        <button
            type="button"
            tabIndex={-1}
            class="offer"
            title="A model can be asked about this: see the details"
            aria-label="ask a model about this line"
            onClick={(event) => {
                event.stopPropagation();
                selectLine(row);
                isOpen.value = true;
            }}
        />
    );
}

/** No server: the person copies the question and asks wherever they want. */
function HandPrompt({ row }: { row: number }) {
    const source = sources.value.get(shown.value.lines.file[row]);
    if (!Array.isArray(source)) return <p class="note">{source ?? "The source is being read."}</p>;
    const prompt = promptFor(shown.value, row, source, settings.value);
    const isFiltered = chipsOf(filter.value).length > 0;
    return (
        <>
            <div class="proposal-choices">
                <Wishes />
            </div>
            <p class="actions">
                <button type="button" onClick={() => void copyText(prompt, "Prompt")}>
                    Copy prompt
                </button>
            </p>
            <p class="note">
                This page sends nothing. The prompt has the code and what was measured
                {isFiltered ? " in the whole run, whatever the filter shows" : ""}:
            </p>
            <pre class="proposal-text" tabIndex={0}>
                {visible(prompt, MOST_TEXT)}
            </pre>
        </>
    );
}

function Choices() {
    const chosen = settings.value;
    const provider = providers.value.find((item) => item.name === chosen.provider);
    return (
        <div class="proposal-choices">
            <label>
                Provider{" "}
                <select
                    value={chosen.provider}
                    onChange={(event) => choose({ provider: event.currentTarget.value })}
                >
                    <option value="">choose one</option>
                    {providers.value.map((item) => (
                        <option key={item.name} value={item.name}>
                            {item.title}
                            {item.hasKey ? " (key is set)" : ""}
                        </option>
                    ))}
                </select>
            </label>
            {provider ? <Access key={provider.name} name={provider.name} /> : null}
            <Wishes />
        </div>
    );
}

function Wishes() {
    const chosen = settings.value;
    return (
        <>
            <fieldset>
                <legend>Aim</legend>
                {(["time", "memory"] as const).map((aim) => (
                    <label key={aim} class="check">
                        <input
                            type="radio"
                            name="aim"
                            checked={chosen.aim === aim}
                            onChange={() => choose({ aim })}
                        />
                        less {aim}
                    </label>
                ))}
            </fieldset>
            <Check isOn={chosen.gpu} set={(isOn) => choose({ gpu: isOn })}>
                allow GPU libraries
            </Check>
            <Check isOn={chosen.onlyLine} set={(isOn) => choose({ onlyLine: isOn })}>
                only this statement, not its loop or function
            </Check>
            <label>
                Instructions{" "}
                <input
                    type="text"
                    maxLength={2000}
                    value={chosen.instructions}
                    onInput={(event) => choose({ instructions: event.currentTarget.value })}
                />
            </label>
        </>
    );
}

/** A key typed here is not put into the page's markup, its address or any storage. */
function Access({ name }: { name: string }) {
    const provider = providers.value.find((item) => item.name === name);
    if (!provider) return null;
    const typed = provider.keyNote ? provider.keyVariables.slice(0, 1) : provider.keyVariables;
    return (
        <>
            <label>
                Key{" "}
                <input
                    type="password"
                    autocomplete="off"
                    placeholder={provider.hasKey ? "from the environment" : typed.join(" or ")}
                    onInput={(event) => typeKey(event.currentTarget.value)}
                />
            </label>
            {provider.keyNote ? <p class="note">{provider.keyNote}</p> : null}
            <label>
                Address{" "}
                <input
                    type="text"
                    value={settings.value.address}
                    placeholder={provider.address || "your own"}
                    onInput={(event) => choose({ address: event.currentTarget.value })}
                />
            </label>
            <label>
                Model{" "}
                <input
                    type="text"
                    list="proposal-models"
                    value={settings.value.model}
                    placeholder={provider.model}
                    onInput={(event) => choose({ model: event.currentTarget.value })}
                />
            </label>
            <datalist id="proposal-models">
                {models.value.slice(0, 500).map((model) => (
                    <option key={model} value={model} />
                ))}
            </datalist>
            <p class="actions">
                <button type="button" onClick={() => void loadModels()}>
                    List models
                </button>
                {models.value.length > 0 ? <span class="note">{models.value.length} models</span> : null}
            </p>
        </>
    );
}

function Buttons({ file, line }: { file: number; line: number }) {
    const isAsking = proposal.value.phase === "asking";
    return (
        <p class="actions">
            <button
                type="button"
                disabled={!settings.value.provider || isAsking}
                onClick={() => void propose(file, line)}
            >
                Propose
            </button>
            {isAsking ? (
                <button type="button" onClick={cancel}>
                    Cancel
                </button>
            ) : null}
        </p>
    );
}

function Outcome({ file, line, name }: { file: number; line: number; name: string }) {
    const { place, phase, preview, answer, change, problem } = proposal.value;
    const isOurs = place === `${file}:${line}` || place === "";
    if (!isOurs) return <p class="note">The last answer is about another line.</p>;
    return (
        <>
            {problem ? (
                <p class="problem-box" role="alert">
                    {visible(problem)}
                </p>
            ) : null}
            {preview ? (
                <details open={phase === "shown"}>
                    <summary>What is sent</summary>
                    <Facts
                        facts={[
                            ["to", visible(preview.destination)],
                            ["model", visible(preview.model)],
                        ]}
                    />
                    {preview.isLocal ? <p class="note">Nothing leaves this computer.</p> : null}
                    <pre class="proposal-text" tabIndex={0}>
                        {visible(`${preview.system}\n\n${preview.user}`, MOST_TEXT)}
                    </pre>
                </details>
            ) : null}
            {phase === "shown" ? (
                <p class="actions">
                    <button type="button" onClick={() => void send(file, line)}>
                        Send this
                    </button>
                </p>
            ) : null}
            {change ? <Diff change={change} name={name} /> : null}
            {answer && !change ? <pre class="proposal-text">{visible(answer, MOST_TEXT)}</pre> : null}
        </>
    );
}

const MARKS = { same: " ", removed: "−", added: "+" };

function Code({ row }: { row: DiffRow }) {
    return (
        <td class={`diff-${row.kind}`}>
            <code>{`${MARKS[row.kind]} ${visible(row.text, MOST_TEXT)}`}</code>
        </td>
    );
}

/** One under the other, for a narrow pane. */
function Unified({ rows }: { rows: DiffRow[] }) {
    return (
        <div class="proposal-diff" tabIndex={0} role="region" aria-label="Proposed change">
            <table>
                <tbody>
                    {rows.map((row, index) => (
                        <tr key={index}>
                            <td class="dim">{row.old || ""}</td>
                            <td class="dim">{row.new || ""}</td>
                            <Code row={row} />
                        </tr>
                    ))}
                </tbody>
            </table>
        </div>
    );
}

function Side({ row, number }: { row: DiffRow | null; number: number }) {
    return (
        <>
            <td class="dim">{number || ""}</td>
            {row ? <Code row={row} /> : <td class="diff-none" />}
        </>
    );
}

function SideBySide({ rows, onClose }: { rows: DiffRow[]; onClose: () => void }) {
    const dialog = useRef<HTMLDialogElement>(null);
    useEffect(() => dialog.current?.showModal(), []);
    return (
        <dialog ref={dialog} class="proposal-wide" aria-labelledby="proposal-title" onClose={onClose}>
            <div class="help-head">
                <h2 id="proposal-title">Proposed change</h2>
                <button type="button" onClick={() => dialog.current?.close()}>
                    Close
                </button>
            </div>
            <div class="proposal-diff" tabIndex={0} role="region" aria-label="Now and proposed">
                <table>
                    <thead>
                        <tr>
                            <th colSpan={2}>now</th>
                            <th colSpan={2}>proposed</th>
                        </tr>
                    </thead>
                    <tbody>
                        {sideBySide(rows).map(([left, right], index) => (
                            <tr key={index}>
                                <Side row={left} number={left?.old ?? 0} />
                                <Side row={right} number={right?.new ?? 0} />
                            </tr>
                        ))}
                    </tbody>
                </table>
            </div>
        </dialog>
    );
}

function Diff({ change, name }: { change: Change; name: string }) {
    const [isWide, setWide] = useState(false);
    const base = name.split("/").pop() ?? "change";
    return (
        <>
            <Unified rows={change.rows} />
            <p class="actions">
                <button type="button" onClick={() => setWide(true)}>
                    Side by side
                </button>
                <button type="button" onClick={() => void copyText(change.code, "Code")}>
                    Copy code
                </button>
                <button
                    type="button"
                    disabled={change.patch === ""}
                    onClick={() => saveText(change.patch, `${base}.patch`)}
                >
                    Save patch
                </button>
            </p>
            <p class="note">Not verified: test it, profile again and compare.</p>
            {isWide ? <SideBySide rows={change.rows} onClose={() => setWide(false)} /> : null}
        </>
    );
}

function saveText(content: string, name: string): void {
    const address = URL.createObjectURL(new Blob([content], { type: "text/plain" }));
    const link = document.createElement("a");
    link.href = address;
    link.download = name;
    link.click();
    URL.revokeObjectURL(address);
}
