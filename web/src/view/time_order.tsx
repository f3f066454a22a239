// SPDX-License-Identifier: Apache-2.0
// Stacks over time, of one thread or of all interleaved.
import { signal } from "@preact/signals";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { moment, seconds } from "../model/quantity";
import { type Span, timeOrderOf } from "../model/time_order";
import { selectFunction } from "../state/actions";
import { filter, selection, shown, zoom } from "../state/store";
import { Brush } from "./brush";
import { BOX_HEIGHT, nameOf, paintSpans, rowTop } from "./flame_paint";
import { Grid } from "./grid";
import { NothingHere } from "./nothing";
import { theme } from "./theme";
import { useRowScroll } from "./wheel";

const thread = signal(0);

export function TimeOrder({
    isMatch,
    isTable,
}: {
    isMatch: ((fn: number) => boolean) | null;
    isTable: boolean;
}) {
    const range = filter.value.time ?? zoom.value ?? shown.value.run.span;
    const { spans, step, isCut } = useMemo(
        () => timeOrderOf(shown.value, filter.value, range, thread.value),
        [shown.value, filter.value, range[0], range[1], thread.value],
    );
    return (
        <>
            <label class="check">
                thread{" "}
                <select
                    value={thread.value}
                    onChange={(event) => (thread.value = Number(event.currentTarget.value))}
                >
                    <option value={-1}>all, interleaved</option>
                    {shown.value.threads.map((item, index) => (
                        <option key={index} value={index}>
                            {item.name}
                        </option>
                    ))}
                </select>
            </label>
            {step > 0 ? (
                <span class="note">
                    There are more samples than pixels: each {seconds(step)} shows the stack that took most of
                    it. Zoom or select a time to see single samples.
                </span>
            ) : null}
            {isTable ? (
                <SpanTable spans={spans} isWhole={step === 0} />
            ) : (
                <SpanCanvas spans={spans} range={range} isMatch={isMatch} />
            )}
            {isCut ? (
                <p class="note">
                    There are too many stacks to show: what comes after{" "}
                    {moment(spans[spans.length - 1].end, 1)} is left out. Select a shorter time.
                </p>
            ) : null}
        </>
    );
}

interface SpanCanvasProps {
    spans: Span[];
    range: [number, number];
    isMatch: ((fn: number) => boolean) | null;
}

function SpanCanvas({ spans, range, isMatch }: SpanCanvasProps) {
    const canvas = useRef<HTMLCanvasElement>(null);
    const rows = useMemo(() => spans.reduce((most, span) => Math.max(most, span.row + 1), 1), [spans]);
    const { height, scroll, onWheel } = useRowScroll(rows, false);
    const selected = selection.value.kind === "function" ? selection.value.row : -1;
    const look = { colouring: "kind" as const, isUpward: false, height, scroll, selected, isMatch };
    useEffect(() => {
        const draw = () => canvas.current && paintSpans(canvas.current, shown.value, spans, range, look);
        draw();
        const observer = new ResizeObserver(draw);
        if (canvas.current) observer.observe(canvas.current);
        return () => observer.disconnect();
    }, [spans, range[0], range[1], scroll, selected, isMatch, theme.value]);
    const onMove = (event: MouseEvent) => {
        const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
        const time = range[0] + ((event.clientX - box.left) / box.width) * (range[1] - range[0]);
        const row = Math.floor((event.clientY - box.top - rowTop(0, look)) / BOX_HEIGHT);
        const span = spans.find((item) => item.row === row && item.start <= time && item.end >= time);
        if (span) selectFunction(span.function);
    };
    return (
        <Brush span={range} left={0}>
            <canvas
                class="spans"
                ref={canvas}
                aria-hidden="true"
                style={{ height: `${height}px` }}
                onMouseMove={onMove}
                onWheel={onWheel}
            />
            <p class="note ruler" aria-hidden="true">
                <span>{moment(range[0], range[1] - range[0])}</span>
                <span>{moment(range[1], range[1] - range[0])}</span>
            </p>
        </Brush>
    );
}

function SpanTable({ spans, isWhole }: { spans: Span[]; isWhole: boolean }) {
    const [active, setActive] = useState(0);
    return (
        <Grid
            id="spans"
            label="Stacks in the order of time"
            columns={[
                { id: "from", title: "From", width: "100px" },
                { id: "to", title: "To", width: "100px" },
                ...(isWhole ? [{ id: "cpu", title: "CPU", width: "100px" }] : []),
                { id: "depth", title: "Depth", width: "70px" },
                { id: "name", title: "Function", width: "1fr", isText: true },
            ]}
            count={spans.length}
            active={active}
            cells={(place) => {
                const span = spans[place];
                return [
                    moment(span.start, 1),
                    moment(span.end, 1),
                    ...(isWhole ? [seconds(span.seconds)] : []),
                    String(span.row),
                    nameOf(shown.value, span.function),
                ];
            }}
            onActive={(place) => {
                setActive(place);
                selectFunction(spans[place].function);
            }}
            empty={<NothingHere what="stacks" />}
        />
    );
}
