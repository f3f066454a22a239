// SPDX-License-Identifier: Apache-2.0
// What stands out, in the profile's own words; "why" opens the evidence, "show" goes there.
import { useState } from "preact/hooks";
import type { Evidence, Finding } from "../model/profile";
import { megabytes, percent, plural, seconds, visible } from "../model/quantity";
import { openSource, showPlace } from "../state/actions";
import { shown } from "../state/store";
import { shortPlace } from "./verdict";

const FIRST = 3;

export function Findings() {
    const { findings, findingsLeftOut, run } = shown.value;
    const [isOpen, setOpen] = useState(false);
    const visibleOnes = isOpen ? findings : findings.slice(0, FIRST);
    return (
        <section class="findings" aria-labelledby="findings-title">
            <h2 id="findings-title">What stands out</h2>
            {findings.length === 0 ? (
                <p class="note">
                    {run.missing.findings ??
                        "Nothing stands out: no line, wait or block of memory is large enough to be told from chance."}
                </p>
            ) : (
                <ol>
                    {visibleOnes.map((finding, index) => (
                        <Item key={index} finding={finding} />
                    ))}
                </ol>
            )}
            {findings.length > FIRST ? (
                <button type="button" class="link" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
                    {isOpen ? "fewer" : `${findings.length - FIRST} more`}
                </button>
            ) : null}
            {isOpen && findingsLeftOut > 0 ? (
                <p class="note">and {plural(findingsLeftOut, "finding")} of less weight</p>
            ) : null}
        </section>
    );
}

function Item({ finding }: { finding: Finding }) {
    const [isOpen, setOpen] = useState(false);
    const place = finding.where[0];
    return (
        <li class={`finding ${/^[a-z]+$/.test(finding.severity) ? finding.severity : ""}`}>
            <p>
                <span class="sentence">{visible(finding.sentence, 2000)}</span>{" "}
                <span class="together">
                    <button
                        type="button"
                        class="link"
                        aria-expanded={isOpen}
                        aria-label={`why: ${finding.sentence}`}
                        onClick={() => setOpen(!isOpen)}
                    >
                        why
                    </button>{" "}
                    {place ? (
                        <button
                            type="button"
                            class="link"
                            aria-label={`show: ${finding.sentence}`}
                            onClick={() => showPlace(place)}
                        >
                            show
                        </button>
                    ) : null}
                </span>
            </p>
            {isOpen ? <Why finding={finding} /> : null}
        </li>
    );
}

function Why({ finding }: { finding: Finding }) {
    const places = finding.where.filter((place) => place.file && place.line);
    return (
        <div class="why-body">
            <dl>
                {finding.evidence.map((item, index) => (
                    <div key={index}>
                        <dt>{visible(item.label)}</dt>
                        <dd>{evidenceText(item)}</dd>
                    </div>
                ))}
            </dl>
            {places.length > 0 ? (
                <p>
                    {places.map((place) => (
                        <button
                            key={`${place.file}:${place.line}`}
                            type="button"
                            class="link"
                            onClick={() => openSource(place.file ?? "", place.line ?? 0)}
                        >
                            {visible(shortPlace(place.file ?? "", place.line ?? 0))}
                            {place.function ? ` in ${visible(place.function)}` : ""}
                        </button>
                    ))}
                </p>
            ) : null}
            <p>
                <b>How it was measured.</b> {visible(finding.howMeasured, 2000)}
            </p>
            <p>
                <b>Next step.</b> {visible(finding.nextStep, 2000)}
            </p>
        </div>
    );
}

function evidenceText({ value, unit, error }: Evidence): string {
    const say = (amount: number): string => {
        if (unit === "s") return seconds(amount);
        if (unit === "%") return percent(amount);
        if (unit === "MB") return megabytes(amount);
        if (unit === "MB/s") return `${megabytes(amount)}/s`;
        return `${Number(amount.toPrecision(Number.isInteger(amount) ? 15 : 3))} ${unit}`.trim();
    };
    return Number.isNaN(error) ? say(value) : `${say(value)} ± ${say(error)}`;
}
