# SPDX-License-Identifier: Apache-2.0
"""A web server under load from another process: the profile names what one would look for."""

import profiling
import pytest
from profiling import late_s, lines

SERVER = """import asyncio
import subprocess
import sys
import time

from aiohttp import ClientSession, web


async def upstream(request):
    await asyncio.sleep(0.1)  # the slow upstream itself
    return web.Response(text="x")


async def computing(request):
    total = sum(i * i for i in range(400_000))  # the slow handler
    return web.Response(text=str(total))


async def blocking(request):
    time.sleep(0.06)  # the blocking handler
    return web.Response(text="x")


async def waiting(request):
    async with request.app["session"].get(request.app["url"]) as answer:  # the await on the upstream
        return web.Response(text=await answer.text())


async def main():
    app = web.Application()
    for handler in (upstream, computing, blocking, waiting):
        app.router.add_get("/" + handler.__name__, handler)
    async with ClientSession() as app["session"]:
        runner = web.AppRunner(app)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        port = site._server.sockets[0].getsockname()[1]
        app["url"] = "http://127.0.0.1:%d/upstream" % port
        load = subprocess.Popen([sys.executable, "load.py", str(port)])
        status = await asyncio.get_running_loop().run_in_executor(None, load.wait)
        await runner.cleanup()
    sys.exit(status)


asyncio.run(main())
"""
LOAD = """import http.client
import sys
import threading


def ask(path):
    connection = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]))
    for _ in range(20):
        connection.request("GET", path)
        assert connection.getresponse().read()


threads = [threading.Thread(target=ask, args=(path,)) for path in ("/computing", "/blocking", "/waiting", "/waiting")]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""


def line_of(text):
    return 1 + next(number for number, line in enumerate(SERVER.splitlines()) if text in line)


def cpu_of(line):
    return line["cpu_python_s"] + line["cpu_native_s"] + line["cpu_system_s"]


@pytest.fixture
def aiohttp_python(key_python):
    python = profiling.with_packages(key_python, "aiohttp")
    if python is None:
        pytest.skip("aiohttp cannot be had for %s" % key_python)
    return python


def test_the_handlers_of_a_server_are_told_apart(aiohttp_python, program, profile):
    program(LOAD, "load.py")
    run = profile(aiohttp_python, program(SERVER, "server.py"), options=["--no-profile-children"])
    assert run.status == 0, run.stderr
    own = lines(run.profile, "server.py")
    computing, blocking, waiting = (
        line_of("# the " + what) for what in ("slow handler", "blocking handler", "await on the upstream"))
    # Twenty times 20 ms and more against forty times 1 ms: some fifty samples against some four.
    assert cpu_of(own[computing]) > max(cpu_of(own[blocking]), cpu_of(own[waiting]))
    blocks = {block["lineno"]: block for block in run.profile["loop_blocks"]}
    assert blocks[blocking]["count"] == 20 and blocks[blocking]["longest_s"] >= 0.06
    # Forty requests, each as long as the upstream takes and longer.
    assert own[waiting]["await_s"] >= 40 * 0.1
    assert own[line_of("slow upstream itself")]["await_s"] >= 40 * 0.1 - late_s(run.profile)
    assert own[computing]["await_s"] == own[blocking]["await_s"] == 0
