// SPDX-License-Identifier: Apache-2.0
// The wheel: with Ctrl, or as a pinch, it zooms; alone it scrolls, as everywhere.
import { useRef, useState } from "preact/hooks";
import { BOX_HEIGHT } from "./flame_paint";

/** Pixels of turning that make one step: a mouse gives about a hundred at once, a pinch a few at a time. */
const STEP = 40;
const PIXELS_OF_A_LINE = 16;

/** Calls `zoom` with 1 (closer) or -1 for each step of a wheel that zooms; false: this one does not. */
export function useWheelZoom(zoom: (direction: 1 | -1, event: WheelEvent) => void) {
    const turned = useRef(0);
    return (event: WheelEvent): boolean => {
        if (!event.ctrlKey && !event.metaKey) return false;
        event.preventDefault();
        turned.current +=
            event.deltaY * (event.deltaMode === WheelEvent.DOM_DELTA_LINE ? PIXELS_OF_A_LINE : 1);
        if (Math.abs(turned.current) >= STEP) {
            zoom(turned.current < 0 ? 1 : -1, event);
            turned.current = 0;
        }
        return true;
    };
}

const LEAST_HEIGHT = 180;
const PART_OF_WINDOW = 0.62;

/** Of a picture whose rows may be more than fit: its height, how far it is scrolled, and the wheel's part in that. */
export function useRowScroll(rows: number, isUpward: boolean) {
    const [asked, setScroll] = useState(0);
    const room = Math.max(LEAST_HEIGHT, Math.round(window.innerHeight * PART_OF_WINDOW));
    const height = Math.min(rows * BOX_HEIGHT + 2, room);
    const most = Math.max(0, rows * BOX_HEIGHT - height);
    const scroll = Math.min(asked, most);
    const onWheel = (event: WheelEvent) => {
        if (event.ctrlKey || event.metaKey) return;
        const turned = isUpward ? -event.deltaY : event.deltaY;
        const next = Math.min(most, Math.max(0, scroll + turned));
        if (next !== scroll) event.preventDefault();
        setScroll(next);
    };
    return { height, scroll, onWheel };
}
