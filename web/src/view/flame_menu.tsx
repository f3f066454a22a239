// SPDX-License-Identifier: Apache-2.0
// The menu of a box.
import { useEffect, useRef } from "preact/hooks";
import { shown } from "../state/store";
import { FUNCTION_ACTIONS, hasSource } from "./flame_actions";
import { nameOf } from "./flame_paint";

export function ActionMenu({ x, y, fn, onClose }: { x: number; y: number; fn: number; onClose: () => void }) {
    const menu = useRef<HTMLDivElement>(null);
    useEffect(() => {
        menu.current?.querySelector("button")?.focus();
        const away = (event: Event) => {
            if (!menu.current?.contains(event.target as Node)) onClose();
        };
        document.addEventListener("pointerdown", away);
        return () => document.removeEventListener("pointerdown", away);
    }, [fn]);
    const onKeyDown = (event: KeyboardEvent) => {
        const items = [...(menu.current?.querySelectorAll("button") ?? [])];
        const at = items.indexOf(document.activeElement as HTMLButtonElement);
        if (event.key === "ArrowDown") items[(at + 1) % items.length].focus();
        else if (event.key === "ArrowUp") items[(at + items.length - 1) % items.length].focus();
        else if (event.key === "Escape") onClose();
        else return;
        event.preventDefault();
        event.stopPropagation();
    };
    const actions = FUNCTION_ACTIONS.filter((action) => !action.needsSource || hasSource(fn));
    return (
        <div
            class="context-menu"
            role="menu"
            aria-label={nameOf(shown.value, fn)}
            ref={menu}
            style={{
                left: `${Math.min(x, window.innerWidth - 250)}px`,
                top: `${Math.min(y, window.innerHeight - 240)}px`,
            }}
            onKeyDown={onKeyDown}
        >
            {actions.map((action) => (
                <button
                    key={action.name}
                    type="button"
                    role="menuitem"
                    onClick={() => {
                        action.run(fn);
                        onClose();
                    }}
                >
                    {action.name} {action.key ? <kbd>{action.key}</kbd> : null}
                </button>
            ))}
        </div>
    );
}
