// SPDX-License-Identifier: Apache-2.0
// Memory: the footprint over time, who held the peak, who holds it now, suspected leaks, churn, copies.
import { useMemo } from "preact/hooks";
import type { MemoryQuestion } from "../model/link";
import { megabytes } from "../model/quantity";
import { shapeOf, treeOfValues } from "../model/tree";
import { go } from "../state/actions";
import { filter, lines, shown, view } from "../state/store";
import { Check } from "./check";
import { Zoomable, isTable } from "./flame";
import { Footprint } from "./footprint";
import { LineTable } from "./lines";

interface Question {
    title: string;
    hint: string;
    column: string; // of the table
    sort: string; // id of a column of numbers
    only: string[];
    none: string;
}

const QUESTIONS: Record<Exclude<MemoryQuestion, "stacks">, Question> = {
    peak: {
        title: "Who held the peak",
        hint: "What each line held when memory was highest: these add up to the peak.",
        column: "at_peak_mb",
        sort: "at-peak",
        only: ["at-peak", "held", "peak", "series"],
        none: "Nothing that was sampled was held at the peak.",
    },
    now: {
        title: "Who holds it now",
        hint: "What each line still held when the program ended.",
        column: "at_end_mb",
        sort: "held",
        only: ["held", "at-peak", "peak", "series"],
        none: "Nothing that was sampled was still held at the end.",
    },
    leaks: {
        title: "Suspected leaks",
        hint: "Lines whose memory grew through the run and was hardly ever freed.",
        column: "leak_likelihood",
        sort: "leak",
        only: ["leak", "held", "peak", "series"],
        none: "No line looks like a leak.",
    },
    churn: {
        title: "Allocation churn",
        hint: "Volume asked for, most of it given back: it costs time, not memory.",
        column: "allocated_mb",
        sort: "allocated",
        only: ["allocated", "average", "peak", "time"],
        none: "Nothing was allocated that could be sampled.",
    },
    copies: {
        title: "Copies",
        hint: "Bytes copied by memcpy and its kin.",
        column: "copied_mb",
        sort: "copied",
        only: ["copied", "time", "peak"],
        none: "No copying worth noting was seen.",
    },
};

export function MemoryPanel() {
    const { run, footprint, memoryStacks } = shown.value;
    const question = view.value.memory;
    if (!run.hasMemory) return <p class="note">{run.missing.memory ?? "Memory was not measured."}</p>;
    return (
        <div class="panel-body scroll-body">
            {footprint.time.length > 1 ? (
                <figure>
                    <figcaption>Footprint of all processes; peak {megabytes(run.peakMemory)}</figcaption>
                    <Footprint height={130} span={run.span} />
                </figure>
            ) : null}
            <div class="toolbar">
                <div class="choices" role="group" aria-label="Question about memory">
                    {Object.entries(QUESTIONS).map(([id, item]) => (
                        <Choice key={id} id={id as MemoryQuestion} title={item.title} />
                    ))}
                    {memoryStacks.stack.length > 0 ? <Choice id="stacks" title="Allocating stacks" /> : null}
                </div>
            </div>
            {question === "stacks" ? <MemoryStacks /> : <Answer key={question} ask={QUESTIONS[question]} />}
        </div>
    );
}

function Choice({ id, title }: { id: MemoryQuestion; title: string }) {
    return (
        <button
            type="button"
            aria-pressed={view.value.memory === id}
            onClick={() => go({ view: { memory: id } })}
        >
            {title}
        </button>
    );
}

function Answer({ ask }: { ask: Question }) {
    const column = lines.value.table.columns[ask.column];
    const keep = useMemo(() => (row: number) => (column?.[row] ?? 0) > 0, [column]);
    return (
        <>
            <p class="note">
                {column
                    ? ask.hint
                    : (shown.value.run.missing.memory ?? "This profile does not have these numbers.")}
            </p>
            <LineTable
                id="memory"
                label={ask.title}
                only={ask.only}
                sortedBy={ask.sort}
                keep={keep}
                cardNumbers={[ask.sort]}
                empty={ask.none}
            />
        </>
    );
}

function MemoryStacks() {
    const { stack, allocated } = shown.value.memoryStacks;
    const tree = useMemo(
        () => treeOfValues(shapeOf(shown.value, filter.value), stack, allocated),
        [shown.value, filter.value.frames, filter.value.folded, filter.value.root],
    );
    return (
        <>
            <p class="toolbar">
                <span class="note">Volume allocated below each function, in the whole run.</span>
                <Check isOn={isTable.value} set={(isOn) => (isTable.value = isOn)}>
                    as table
                </Check>
            </p>
            <Zoomable
                id="memory-stacks"
                tree={tree}
                label="Allocating stacks"
                isUpward={false}
                isMatch={null}
                amount={megabytes}
                isMemory
            />
        </>
    );
}
