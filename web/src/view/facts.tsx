// SPDX-License-Identifier: Apache-2.0
// Numbers with their labels, one below the other.

export function Facts({ facts }: { facts: [string, string][] }) {
    return (
        <dl class="facts-list">
            {facts.map(([label, value]) => (
                <div key={label}>
                    <dt>{label}</dt>
                    <dd>{value}</dd>
                </div>
            ))}
        </dl>
    );
}
