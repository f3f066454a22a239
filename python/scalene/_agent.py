# SPDX-License-Identifier: Apache-2.0
"""The part of scalene that `scalene run` puts into the program's process.

It makes itself known by one builtin, `profile`, a C function whose module has the others. In a program
that was started without scalene there is none, and nothing here does anything.
"""

from __future__ import annotations

import builtins

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, TypeVar

    Decorated = TypeVar("Decorated")

NAME = "scalene._agent"


def _find() -> Any:
    module = getattr(getattr(builtins, "profile", None), "__self__", None)
    return module if getattr(module, "__name__", "") == NAME else None


# Looked for at once: the program may have a builtin `profile` of its own later.
functions = _find()


def _unchanged(function: Decorated) -> Decorated:
    """Decorates nothing: the program was not started by `scalene run`."""
    return function


profile: Callable[[Decorated], Decorated] = functions.profile if functions else _unchanged
