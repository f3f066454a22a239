# SPDX-License-Identifier: Apache-2.0
"""`%scrun [options] statement` and `%%scalene [options]`, in IPython and Jupyter: after `%load_ext scalene`.

The code runs in the live kernel like any other cell: its variables stay, its errors are shown as usual.
"""

from __future__ import annotations

import ast
import contextlib
import shlex
from typing import Any, Iterator, List, Tuple

from scalene import _awaiting, _cells, _frame

# Of `scalene run`, those that are followed by a value.
VALUE_OPTIONS = {
    "-c", "-o", "--allocation-sampling-window", "--column-width", "--config", "--cpu-percent-threshold",
    "--cpu-sampling-rate", "--malloc-threshold", "--outfile", "--pid", "--profile-exclude", "--profile-interval",
    "--profile-only", "--program-path", "--python", "--trace",
}  # fmt: skip


def _wants_value(word: str) -> bool:
    """Names may be cut short. A letter's value may follow it at once, and a name's after `=`."""
    is_name = word.startswith("--") and len(word) > 2
    return word in VALUE_OPTIONS or is_name and any(option.startswith(word) for option in VALUE_OPTIONS)


def split(line: str) -> Tuple[List[str], str]:
    """The options at the line's beginning, and what follows them."""
    options: List[str] = []
    rest = line.strip()
    while rest.startswith("-") or (rest.split(None, 1)[:1] == ["run"] and not options):
        word, _, rest = rest.partition(" ")
        rest = rest.strip()
        if word == "run":
            continue
        options.append(word)
        if _wants_value(word):
            value = shlex.split(rest)[:1]
            options += value
            rest = rest[len(_as_written(rest)):].strip()
    return options, rest


def _as_written(text: str) -> str:
    """The first word of a command line, with its quotes."""
    reader = shlex.shlex(text, posix=False, punctuation_chars="")
    reader.whitespace_split = True
    return reader.get_token() or ""


def _compile(shell: Any, text: str, name: str, first_line: int) -> List[Any]:
    """The code of a text, the last expression apart: its value is shown."""
    tree = ast.increment_lineno(shell.compile.ast_parse(text, filename=name), first_line - 1)
    body = shell.transform_ast(tree).body
    last = [body.pop()] if body and isinstance(body[-1], ast.Expr) else []
    codes = [shell.compile(ast.Module(body, []), name, "exec")] if body else []
    return codes + ([shell.compile(ast.Interactive(last), name, "single")] if last else [])


def _execute(shell: Any, codes: List[Any]) -> None:
    __tracebackhide__ = "__ipython_bottom__"  # an error's trace begins below this, as in any cell
    for code in codes:
        exec(code, shell.user_global_ns, shell.user_ns)


@contextlib.contextmanager
def _profiling(shell: Any, options: List[str]) -> Iterator[None]:
    from scalene import _live

    _live.start(options)
    try:
        yield
    finally:
        with _cells.sources(shell):
            path = _live.stop()
        if path:
            _cells.rename(shell, path)
            shell.display_pub.publish(_frame.bundle(path))


def _run(shell: Any, options: List[str], codes: List[Any]) -> None:
    __tracebackhide__ = True
    if codes:
        with _profiling(shell, options):
            _execute(shell, codes)


def register(shell: Any) -> None:
    def scrun(line: str) -> None:
        """%scrun [options of scalene run] statement"""
        __tracebackhide__ = True
        options, statement = split(line)
        name, number = _cells.calling_line(shell)  # whose line the statement is
        _run(shell, options, _compile(shell, shell.transform_cell(statement), name, number))

    def scalene(line: str, cell: str) -> None:
        """%%scalene [options of scalene run]: profiles the cell"""
        __tracebackhide__ = True
        options, statement = split(line)
        text = statement + "\n" + shell.transform_cell(cell)  # lines count as in the whole cell
        name = shell.compile.cache(text, _cells.running(shell))
        _run(shell, options, _compile(shell, text, name, 1))

    shell.register_magic_function(scrun, "line", "scrun")
    shell.register_magic_function(scalene, "cell", "scalene")
    _awaiting.register(shell, split, lambda line: _profiling(shell, split(line)[0]))
