// SPDX-License-Identifier: Apache-2.0
// When one panel fails, it says so, and the others live.
import { Component, type ComponentChildren } from "preact";
import { copyText } from "../state/actions";

export class Fence extends Component<{ name: string; children: ComponentChildren }, { error: Error | null }> {
    override state = { error: null as Error | null };

    static override getDerivedStateFromError(error: Error) {
        return { error };
    }

    override render() {
        const { error } = this.state;
        if (!error) return this.props.children;
        const report = `${this.props.name}: ${error.message}\n${error.stack ?? ""}`;
        return (
            <div class="failure" role="alert">
                <p>
                    {this.props.name} cannot be shown: {error.message}. The other panels still work.
                </p>
                <button type="button" onClick={() => void copyText(report, "Report")}>
                    Copy the report
                </button>
                <button type="button" onClick={() => this.setState({ error: null })}>
                    Try again
                </button>
            </div>
        );
    }
}
