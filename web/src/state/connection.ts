// SPDX-License-Identifier: Apache-2.0
// The server lives while a stream is open, and the page outlives the server. A browser has six connections to a host, and
// a stream takes one for good: the tabs of a page share one. Whoever has the lock holds it and tells the others what it
// hears; the lock of a tab that closes goes to another.
import { banner } from "./store";

const GONE = 'The server has ended: source not seen yet is missing. Run "scalene view" again for it.';

export function stayConnected(): void {
    const name = `scalene ${location.pathname}`;
    const others = new BroadcastChannel(name);
    others.onmessage = (event) => tell(event.data === true);
    const hold = () => {
        listen((isThere) => {
            tell(isThere);
            others.postMessage(isThere);
        });
        return new Promise<void>(() => {}); // the lock is kept for as long as the tab is there
    };
    if (!navigator.locks) void hold();
    else navigator.locks.request(name, hold).catch(hold);
}

function tell(isThere: boolean): void {
    banner.value = isThere ? "" : GONE;
}

function listen(hear: (isThere: boolean) => void): void {
    const stream = new EventSource("alive");
    stream.addEventListener("open", () => hear(true));
    stream.addEventListener("error", () => hear(stream.readyState === EventSource.OPEN));
    stream.addEventListener("gone", () => {
        stream.close();
        hear(false);
    });
}
