# SPDX-License-Identifier: Apache-2.0
"""loop_programs.py wakeups|server|load PORT: event loops whose promptness under a profiler is measured.

`wakeups`: how late a loop comes to what was due, beside a thread that computes; prints the 99th percentile in ms.
`server`: a web server under load from a second process; prints requests a second.
"""

import asyncio
import sys
import threading
import time

WAKEUPS = 1000
PAUSE_S = 0.003
REQUESTS, CLIENTS = 24000, 8
WARM_UP = 4000  # requests more, before the clock runs: servers run for long


def compute():
    while True:
        sum(range(1000))


async def wake_up():
    late = []
    for _ in range(WAKEUPS):
        due = time.perf_counter() + PAUSE_S
        await asyncio.sleep(PAUSE_S)
        late.append(time.perf_counter() - due)
    late.sort()
    print(1000 * late[int(0.99 * len(late))])


def wakeups():
    threading.Thread(target=compute, daemon=True).start()
    asyncio.run(wake_up())


async def serve():
    from aiohttp import web

    async def answer(request):
        await asyncio.sleep(0)
        return web.Response(text="x" * 1000)

    app = web.Application()
    app.router.add_get("/", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    port = site._server.sockets[0].getsockname()[1]
    load = await asyncio.create_subprocess_exec(sys.executable, __file__, "load", str(port))
    assert await load.wait() == 0
    await runner.cleanup()


def ask(port, count):
    import http.client

    connection = http.client.HTTPConnection("127.0.0.1", port)
    for _ in range(count):
        connection.request("GET", "/")
        connection.getresponse().read()


def ask_all(port, count):
    """Returns how long it took."""
    start = time.perf_counter()
    threads = [threading.Thread(target=ask, args=(port, count // CLIENTS)) for _ in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return time.perf_counter() - start


def load(port):
    ask_all(port, WARM_UP)
    print(REQUESTS / ask_all(port, REQUESTS), flush=True)


if __name__ == "__main__":
    {"wakeups": wakeups, "server": lambda: asyncio.run(serve()), "load": lambda: load(int(sys.argv[2]))}[sys.argv[1]]()
