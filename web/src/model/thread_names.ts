// SPDX-License-Identifier: Apache-2.0
// Names that tell threads apart. Every process has a MainThread, and a program may call all its threads alike:
// where a name is shared, the process is said beside it, and where that is shared too, the thread's identifier.
import type { Thread } from "./profile";

/** Samples name a thread by its identifier alone, which a fork's threads may share: the first of them has all. */
export function withoutSamples(threads: Thread[]): Thread[] {
    const seen = new Set<string>();
    return threads.filter(({ id }) => seen.has(id) || !seen.add(id));
}

export function tellApart(threads: Thread[]): Thread[] {
    const pids = new Map<string, Set<number>>(); // of the processes that have a thread of the name
    const counts = new Map<string, number>(); // of threads of the name in one process
    const inProcess = ({ pid, plainName }: Thread) => `${pid} ${plainName}`;
    for (const thread of threads) {
        pids.set(thread.plainName, (pids.get(thread.plainName) ?? new Set()).add(thread.pid));
        counts.set(inProcess(thread), (counts.get(inProcess(thread)) ?? 0) + 1);
    }
    return threads.map((thread) => {
        const isInMany = (pids.get(thread.plainName)?.size ?? 0) > 1;
        const isOneOfMany = (counts.get(inProcess(thread)) ?? 0) > 1;
        const told = [isInMany ? String(thread.pid) : "", isOneOfMany ? `thread ${thread.id}` : ""];
        const beside = told.filter(Boolean).join(", ");
        return { ...thread, name: beside ? `${thread.plainName} (${beside})` : thread.plainName };
    });
}
