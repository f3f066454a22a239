# SPDX-License-Identifier: Apache-2.0
"""Profiles itself while ten tasks wait, each of which then takes steps; prints how long that was, at least and at most."""

import asyncio
import sys
import time

from scalene import _live


async def work():
    while True:
        await asyncio.sleep(0.05)


async def main():
    tasks = [asyncio.ensure_future(work()) for _ in range(10)]
    for number, task in enumerate(tasks):
        task.set_name("worker %d" % number)
    await asyncio.sleep(0.2)
    before = time.perf_counter()
    _live.start([], sys.argv[1])
    begin = time.perf_counter()
    await asyncio.sleep(0.5)
    end = time.perf_counter()
    _live.stop()
    print(end - begin, time.perf_counter() - before)


asyncio.run(main())
