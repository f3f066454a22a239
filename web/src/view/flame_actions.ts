// SPDX-License-Identifier: Apache-2.0
// What can be done with a function, in one list: the menu on a box and the side pane offer the same.
import { functionId } from "../model/function_id";
import {
    copyText,
    focusFunction,
    foldFunction,
    hideFunction,
    openEditor,
    openSource,
    sandwichFunction,
    selectFunction,
} from "../state/actions";
import { say, shown } from "../state/store";

export { openSource, say, selectFunction };

export interface FunctionAction {
    name: string;
    key: string;
    run: (fn: number) => void;
    needsSource?: boolean;
}

/** Any line of the function that a stack knows. */
export function lineOfFunction(fn: number): number {
    const { frames, functions, files, functionNames } = shown.value;
    for (let row = 0; row < functions.count; row++) {
        const isIt = functions.name[row] === functionNames.name[fn];
        if (isIt && files[functions.file[row]].path === functionNames.file[fn]) return functions.line[row];
    }
    const frame = frames.function.indexOf(fn);
    return frame < 0 ? 0 : frames.line[frame];
}

export const FUNCTION_ACTIONS: FunctionAction[] = [
    { name: "Focus: only what runs below it", key: "f", run: focusFunction },
    { name: "Hide: leave its time out", key: "x", run: hideFunction },
    { name: "Fold into its caller", key: "", run: foldFunction },
    { name: "Sandwich: callers and callees", key: "s", run: sandwichFunction },
    {
        name: "Copy its name",
        key: "",
        run: (fn) => void copyText(functionId(shown.value, fn), "Name"),
    },
    {
        name: "Show its source",
        key: "",
        needsSource: true,
        run: (fn) => openSource(shown.value.functionNames.file[fn], lineOfFunction(fn)),
    },
    {
        name: "Open in the editor",
        key: "o",
        needsSource: true,
        run: (fn) => openEditor(shown.value.functionNames.file[fn], lineOfFunction(fn)),
    },
];

export function hasSource(fn: number): boolean {
    const path = shown.value.functionNames.file[fn];
    return shown.value.files.some((file) => file.path === path);
}
