// SPDX-License-Identifier: Apache-2.0
// Everything known about what is selected, as text that can be copied.
import { useMemo } from "preact/hooks";
import { chainsTo, neighboursOf, type Neighbour } from "../model/neighbours";
import { megabytes, percent, seconds, visible, waitName } from "../model/quantity";
import { functionOfRow } from "../model/ranking";
import { copyText, openEditor, openSource, selectFunction } from "../state/actions";
import { needSource, sourceLine } from "../state/sources";
import { lines, selection, shown, weights } from "../state/store";
import { Sparkline } from "./bar";
import { Facts } from "./facts";
import { FUNCTION_ACTIONS, hasSource, lineOfFunction } from "./flame_actions";
import { nameOf } from "./flame_paint";
import { lineFacts } from "../model/line_facts";
import { ProposalPanel } from "./proposal";

export function SidePane() {
    const { kind, row } = selection.value;
    return (
        <aside class="side" aria-label="Details">
            {kind === "line" && row >= 0 ? <LineDetails row={row} /> : null}
            {kind === "function" && row >= 0 ? <FunctionDetails fn={row} /> : null}
            {kind === "thread" && row >= 0 ? <ThreadDetails index={row} /> : null}
            {kind === "none" || row < 0 ? (
                <p class="note">
                    Select a line, a function or a thread: all that is known about it stands here.
                </p>
            ) : null}
        </aside>
    );
}

function asText(title: string, facts: [string, string][]): string {
    return [title, ...facts.map(([label, value]) => `${label}: ${value}`)].join("\n");
}

function LineDetails({ row }: { row: number }) {
    const { table } = lines.value;
    const profile = shown.value;
    const file = profile.files[table.file[row]];
    const line = table.line[row];
    needSource(table.file[row]);
    const facts = lineFacts(profile, lines.value, row);
    const chains = useMemo(() => chainsTo(profile, weights.value, row), [profile, weights.value, row]);
    const start = table.seriesStart[row] ?? 0;
    const end = start + (table.seriesCount[row] ?? 0);
    const title = `${file.name}:${line}`;
    return (
        <>
            <h2>{visible(title)}</h2>
            <p class="dim">in {visible(functionOfRow(profile, lines.value, row))}</p>
            <pre class="code">{visible(sourceLine(table.file[row], line).trim())}</pre>
            <p class="actions">
                <button type="button" onClick={() => openSource(file.path, line)}>
                    Source
                </button>
                <button type="button" onClick={() => openEditor(file.path, line)}>
                    Editor <kbd>o</kbd>
                </button>
                <button type="button" onClick={() => void copyText(asText(title, facts), "Details")}>
                    Copy
                </button>
            </p>
            <Facts facts={facts} />
            <ProposalPanel row={row} />
            {end > start ? (
                <figure>
                    <figcaption>
                        Held over time, up to {megabytes(table.columns.peak_mb?.[row] ?? 0)}
                    </figcaption>
                    <Sparkline
                        time={profile.series.time.subarray(start, end)}
                        value={profile.series.mb.subarray(start, end)}
                        span={profile.run.span}
                        scale={table.columns.peak_mb?.[row] ?? 0}
                        width={280}
                        height={48}
                    />
                </figure>
            ) : null}
            {chains.length > 0 ? (
                <>
                    <h3>Called from</h3>
                    <ol class="chains">
                        {chains.map((chain, index) => (
                            <li key={index}>
                                <b>{seconds(chain.seconds)}</b>{" "}
                                {chain.frames.map((frame) => visible(frame, 80)).join(" › ")}
                            </li>
                        ))}
                    </ol>
                </>
            ) : null}
        </>
    );
}

function FunctionDetails({ fn }: { fn: number }) {
    const profile = shown.value;
    const { total, callers, callees } = useMemo(
        () => neighboursOf(profile, weights.value, fn),
        [profile, weights.value, fn],
    );
    const file = profile.functionNames.file[fn];
    const whole = weights.value.shown || 1;
    const facts: [string, string][] = [
        ["with callees", `${seconds(total)}, ${percent((100 * total) / whole)} of the CPU time shown`],
        ["kind", profile.functionNames.isNative[fn] ? "native" : "Python"],
        ["file", visible(file)],
        ["line", String(lineOfFunction(fn) || "unknown")],
    ];
    const name = nameOf(profile, fn);
    return (
        <>
            <h2>{name}</h2>
            <p class="actions">
                {FUNCTION_ACTIONS.filter((action) => !action.needsSource || hasSource(fn)).map((action) => (
                    <button
                        key={action.name}
                        type="button"
                        title={action.name}
                        onClick={() => action.run(fn)}
                    >
                        {action.name.split(":")[0]} {action.key ? <kbd>{action.key}</kbd> : null}
                    </button>
                ))}
                <button type="button" onClick={() => void copyText(asText(name, facts), "Details")}>
                    Copy details
                </button>
            </p>
            <Facts facts={facts} />
            <Neighbours title="Callers" list={callers} whole={total} />
            <Neighbours title="Callees" list={callees} whole={total} />
        </>
    );
}

function Neighbours({ title, list, whole }: { title: string; list: Neighbour[]; whole: number }) {
    return (
        <>
            <h3>{title}</h3>
            {list.length === 0 ? (
                <p class="note">none</p>
            ) : (
                <ul class="neighbours">
                    {list.map((item) => (
                        <li key={item.function}>
                            {item.function < 0 ? (
                                <span class="dim">started here</span>
                            ) : (
                                <button
                                    type="button"
                                    class="link"
                                    onClick={() => selectFunction(item.function)}
                                >
                                    {nameOf(shown.value, item.function)}
                                </button>
                            )}
                            <span>
                                {seconds(item.seconds)}{" "}
                                <span class="dim">{percent((100 * item.seconds) / (whole || 1))}</span>
                            </span>
                        </li>
                    ))}
                </ul>
            )}
        </>
    );
}

function ThreadDetails({ index }: { index: number }) {
    const thread = shown.value.threads[index];
    const facts: [string, string][] = [
        ["process", String(thread.pid)],
        ["Python", seconds(thread.cpu[0])],
        ["native", seconds(thread.cpu[1])],
        ["system", seconds(thread.cpu[2])],
        ...Object.entries(thread.waits).map(([kind, value]): [string, string] => [
            `waited: ${waitName(kind)}`,
            seconds(value),
        ]),
        ["lived", `${seconds(thread.end - thread.start)}`],
        ["identifier", thread.id],
    ];
    return (
        <>
            <h2>{visible(thread.name)}</h2>
            <Facts facts={facts} />
        </>
    );
}
