// SPDX-License-Identifier: Apache-2.0
// Selecting a stretch of time over whatever lies beneath: by dragging, or with the arrow keys.
import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { moment } from "../model/quantity";
import { zoomedAround } from "../model/zoom";
import { dragTime, selectTime, zoomTo } from "../state/actions";
import { filter, shown } from "../state/store";
import { useWheelZoom } from "./wheel";

interface BrushProps {
    span: [number, number];
    left: number; // where time begins, in pixels
    children: ComponentChildren;
}

const ZOOM_STEP = 0.8; // of the length, by one step of the wheel
const CLICK = 4; // pixels within which a drag is a click

export function Brush({ span, left, children }: BrushProps) {
    const area = useRef<HTMLDivElement>(null);
    const [drag, setDrag] = useState<[number, number] | null>(null);
    const length = span[1] - span[0];
    const timeAt = (x: number) => {
        const box = (area.current as HTMLElement).getBoundingClientRect();
        const part = (x - box.left - left) / Math.max(1, box.width - left);
        return span[0] + Math.min(1, Math.max(0, part)) * length;
    };
    const start = (event: PointerEvent) => {
        if (event.button !== 0 || event.pointerType === "touch") return;
        const from = event.clientX;
        const target = event.currentTarget as HTMLElement;
        target.setPointerCapture(event.pointerId);
        const move = (moved: PointerEvent) => {
            const range = ordered(timeAt(from), timeAt(moved.clientX));
            setDrag(range);
            if (Math.abs(moved.clientX - from) > CLICK) dragTime(range);
        };
        const end = (ended: PointerEvent) => {
            target.removeEventListener("pointermove", move);
            target.removeEventListener("pointerup", end);
            target.removeEventListener("pointercancel", end);
            setDrag(null);
            if (Math.abs(ended.clientX - from) > CLICK)
                selectTime(ordered(timeAt(from), timeAt(ended.clientX)));
        };
        target.addEventListener("pointermove", move);
        target.addEventListener("pointerup", end);
        target.addEventListener("pointercancel", end);
    };
    const onWheel = useWheelZoom((direction, event) =>
        zoomTo(
            zoomedAround(
                span,
                shown.value.run.span,
                timeAt(event.clientX),
                direction > 0 ? ZOOM_STEP : 1 / ZOOM_STEP,
            ),
        ),
    );
    const range = drag ?? filter.value.time;
    const place = (time: number) => Math.min(1, Math.max(0, (time - span[0]) / length));
    return (
        <div
            id="brush"
            class="brush"
            ref={area}
            tabIndex={0}
            role="group"
            aria-label={`Time selection: ${range ? `${moment(range[0], length)} to ${moment(range[1], length)}` : "whole run"}. Left and Right move it, with Shift they resize it.`}
            onPointerDown={start}
            onWheel={onWheel}
            onKeyDown={(event) => moveByKey(event, span)}
        >
            {children}
            {range ? (
                <div class="brush-room" style={{ left: `${left}px` }} aria-hidden="true">
                    <div class="brush-shade" style={{ left: 0, width: `${100 * place(range[0])}%` }} />
                    <div class="brush-shade" style={{ left: `${100 * place(range[1])}%`, right: 0 }} />
                    <div
                        class="brush-range"
                        style={{
                            left: `${100 * place(range[0])}%`,
                            width: `${100 * (place(range[1]) - place(range[0]))}%`,
                        }}
                    />
                </div>
            ) : null}
        </div>
    );
}

function ordered(one: number, other: number): [number, number] {
    return one < other ? [one, other] : [other, one];
}

function moveByKey(event: KeyboardEvent, span: [number, number]): void {
    const length = span[1] - span[0];
    if (event.key === "+" || event.key === "-") {
        const [from, to] = filter.value.time ?? span;
        const factor = event.key === "+" ? 0.5 : 2;
        zoomTo(zoomedAround(span, shown.value.run.span, (from + to) / 2, factor));
        return event.preventDefault();
    }
    const direction = event.key === "ArrowLeft" ? -1 : event.key === "ArrowRight" ? 1 : 0;
    if (direction === 0) return;
    const step = (direction * length) / 50;
    const [from, to] = filter.value.time ?? [span[0], span[0] + length / 10];
    const moved: [number, number] = event.shiftKey ? [from, to + step] : [from + step, to + step];
    if (moved[1] > moved[0] && moved[0] >= span[0] - length && moved[1] <= span[1] + length) {
        selectTime([Math.max(moved[0], span[0]), Math.min(moved[1], span[1])], false);
    }
    event.preventDefault();
}
