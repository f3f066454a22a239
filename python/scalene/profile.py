# SPDX-License-Identifier: Apache-2.0
"""`python -m scalene.profile --on|--off --pid N`: the older way to say `scalene resume N`, `scalene pause N`.

Imported, this module stands in the place of the decorator of the same name, and decorates as well.
"""

from __future__ import annotations

import os
import sys
import types

from scalene import _agent
from scalene._command import find

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    Decorated = TypeVar("Decorated")


class _Decorator(types.ModuleType):
    def __call__(self, function: Decorated) -> Decorated:
        return _agent.profile(function)


def main(words: list[str]) -> None:
    import argparse

    parser = argparse.ArgumentParser(
        prog="python -m scalene.profile", description="Turn the profiling of a running program on or off."
    )
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--on", action="store_true", help="turn profiling on")
    which.add_argument("--off", action="store_true", help="turn profiling off")
    parser.add_argument("--pid", type=int, default=0, help="process of a program that `scalene run` started")
    asked = parser.parse_args(words)
    if asked.pid <= 0:
        parser.print_help(sys.stderr)
        sys.exit(255)
    command = find()
    os.execv(command, ["scalene", "resume" if asked.on else "pause", str(asked.pid)])


if __name__ == "__main__":
    main(sys.argv[1:])
else:
    sys.modules[__name__].__class__ = _Decorator
