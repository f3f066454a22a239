// SPDX-License-Identifier: Apache-2.0
// Dark or light: as the system is, until a person chooses.
import { signal } from "@preact/signals";
import { remember, remembered } from "../state/actions";

const system = window.matchMedia("(prefers-color-scheme: dark)");
const chosen = remembered("theme", "");

export const theme = signal<"dark" | "light">(
    chosen === "dark" || chosen === "light" ? chosen : system.matches ? "dark" : "light",
);

function apply(): void {
    document.documentElement.dataset.theme = theme.value;
}

export function startTheme(): void {
    apply();
    system.addEventListener("change", () => {
        if (remembered("theme", "") !== "") return;
        theme.value = system.matches ? "dark" : "light";
        apply();
    });
}

export function switchTheme(): void {
    theme.value = theme.value === "dark" ? "light" : "dark";
    remember("theme", theme.value);
    apply();
}
