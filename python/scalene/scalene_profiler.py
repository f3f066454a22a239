# SPDX-License-Identifier: Apache-2.0
"""Turns profiling on and off from inside the program: `from scalene import scalene_profiler`.

In a program that `scalene run` started (with `--off`, as a rule) this is a word in memory that all its
processes look at. In any other program `start` begins to profile this process, and `stop` writes the
profile.
"""

import contextlib
from typing import Iterator

from scalene._agent import functions


def start() -> None:
    """Profiles from here on. Does nothing if profiling is on already."""
    if functions:
        functions.start()
    else:
        from scalene import _live

        _live.start([], "scalene-profile.json")


def stop() -> None:
    """Stops profiling; `start` goes on with it."""
    if functions:
        functions.stop()
    else:
        from scalene import _live

        _live.stop()


@contextlib.contextmanager
def enable_profiling() -> Iterator[None]:
    """Profiles what stands in the `with` block, also when it ends by an exception."""
    start()
    try:
        yield
    finally:
        stop()
