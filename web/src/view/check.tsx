// SPDX-License-Identifier: Apache-2.0
// A box to tick, with its words.
import type { ComponentChildren } from "preact";

interface Props {
    isOn: boolean;
    set(isOn: boolean): void;
    title?: string;
    children: ComponentChildren;
}

export function Check({ isOn, set, title, children }: Props) {
    return (
        <label class="check" title={title}>
            <input type="checkbox" checked={isOn} onChange={(event) => set(event.currentTarget.checked)} />
            {children}
        </label>
    );
}
