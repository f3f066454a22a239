# SPDX-License-Identifier: Apache-2.0
"""A `%%scalene` cell that awaits something. A magic cannot do that: it is a call, in a loop that runs already. So
such a cell becomes one of the kernel's own; its first line begins the profile, which ends once the cell has run.
"""

from __future__ import annotations

import ast
import inspect
from typing import Any, Callable, ContextManager, List, Tuple

MAGIC = "%%scalene"


def _awaits(text: str) -> bool:
    try:
        code = compile(text, "<cell>", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    except (SyntaxError, ValueError):  # the kernel will say so
        return False
    return bool(code.co_flags & inspect.CO_COROUTINE)


def register(
    shell: Any, split: Callable[[str], Tuple[List[str], str]], profiling: Callable[[str], ContextManager[None]]
) -> None:
    """`split` tells a line's options from what follows them, `profiling` is told the options as written."""

    def unfold(lines: List[str]) -> List[str]:
        if not lines or lines[0].split(None, 1)[:1] != [MAGIC]:
            return lines
        line = lines[0].strip()[len(MAGIC):]
        statement = split(line)[1]
        if not _awaits(statement + "\n" + shell.transform_cell("".join(lines[1:]))):
            return lines
        options = line[: len(line) - len(statement)].strip()
        return [f"get_ipython().run_line_magic('scalene_begin', {options!r}); {statement}\n", *lines[1:]]

    def begin(options: str) -> None:
        """What a cell with %%scalene that awaits something begins with."""
        profile = profiling(options)

        def end() -> None:
            shell.events.unregister("post_execute", end)
            profile.__exit__(None, None, None)

        profile.__enter__()
        shell.events.register("post_execute", end)

    shell.input_transformers_cleanup.append(unfold)
    shell.register_magic_function(begin, "line", "scalene_begin")
