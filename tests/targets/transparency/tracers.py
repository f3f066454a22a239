# SPDX-License-Identifier: Apache-2.0
"""Coroutines in a program that watches itself: what its own tracers see is told on stdout."""

import asyncio
import collections
import sys

counts = collections.Counter()


async def inner():
    await asyncio.sleep(0.001)


async def outer():
    await inner()
    await inner()


async def main():
    await asyncio.gather(outer(), outer())


def is_own(code):
    return code.co_filename == __file__


def trace(frame, event, argument):
    if is_own(frame.f_code):
        counts[event, frame.f_code.co_name, frame.f_lineno] += 1
    return trace


def run_traced():
    sys.settrace(trace)
    sys.setprofile(lambda frame, event, argument: trace(frame, "profile " + event, argument) and None)
    asyncio.run(main())
    sys.settrace(None)
    sys.setprofile(None)


def run_monitored():
    monitoring = sys.monitoring
    tools = [tool for tool in range(6) if monitoring.get_tool(tool) is None]
    counts["free tools", "", len(tools)] += 1
    events = monitoring.events
    wanted = {"LINE": events.LINE, "PY_YIELD": events.PY_YIELD, "PY_RESUME": events.PY_RESUME,
              "PY_START": events.PY_START, "PY_RETURN": events.PY_RETURN}
    monitoring.use_tool_id(3, "own")
    for name, event in wanted.items():
        def seen(code, place, *_, name=name):
            if is_own(code):
                counts[name, code.co_name, place if name == "LINE" else 0] += 1
        monitoring.register_callback(3, event, seen)
    monitoring.set_events(3, sum(wanted.values()))
    asyncio.run(main())
    monitoring.set_events(3, 0)
    monitoring.free_tool_id(3)


run_traced()
if hasattr(sys, "monitoring"):
    run_monitored()
for key, count in sorted(counts.items()):
    print(*key, count)
