// SPDX-License-Identifier: Apache-2.0
// Help: the keys and the search language.
import { useEffect, useRef } from "preact/hooks";
import { isHelpOpen } from "../state/store";
import { Check } from "./check";
import { areLettersOn, KEYS, switchLetters } from "./keys";
import { remember, remembered } from "../state/actions";

const SEARCH: [string, string][] = [
    ["parse", "name, file or source contains it"],
    ["/^get_.*/", "a regular expression"],
    ["-test", "not this"],
    ["file:load fn:parse mod:app.db", "in this file, function, module"],
    ["th:worker", "only what threads of this name ran"],
    ["kind:wait.gil", "only this kind of time: python, native, system, wait, wait.lock …"],
    ["mb:>100", "held more than 100 MB at its peak"],
];

export function Help() {
    const dialog = useRef<HTMLDialogElement>(null);
    useEffect(() => {
        if (isHelpOpen.value) dialog.current?.showModal();
    }, [isHelpOpen.value]);
    if (!isHelpOpen.value) return null;
    return (
        <dialog
            ref={dialog}
            class="help"
            aria-labelledby="help-title"
            onClose={() => (isHelpOpen.value = false)}
        >
            <div class="help-head">
                <h2 id="help-title">Keys and search</h2>
                <button type="button" onClick={() => dialog.current?.close()}>
                    Close
                </button>
            </div>
            <dl class="keys">
                {KEYS.map((key) => (
                    <div key={key.says}>
                        <dt>
                            {key.keys.map((name) => (
                                <kbd key={name}>{name}</kbd>
                            ))}
                        </dt>
                        <dd>{key.says}</dd>
                    </div>
                ))}
            </dl>
            <Check isOn={areLettersOn.value} set={switchLetters}>
                keys of one letter
            </Check>
            <h3>Search</h3>
            <dl class="keys">
                {SEARCH.map(([example, says]) => (
                    <div key={example}>
                        <dt>
                            <code>{example}</code>
                        </dt>
                        <dd>{says}</dd>
                    </div>
                ))}
            </dl>
            <h3>Editor</h3>
            <label>
                Address of a place{" "}
                <input
                    type="text"
                    class="wide-input"
                    value={remembered("editor", "vscode://file{path}:{line}")}
                    onChange={(event) => remember("editor", event.currentTarget.value)}
                />
            </label>
        </dialog>
    );
}
