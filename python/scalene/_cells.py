# SPDX-License-Identifier: Apache-2.0
"""The cells of a notebook: each is compiled under a file name of the kernel's, and shown as `[N]`."""

from __future__ import annotations

import contextlib
import json
import linecache
import os
import re
import sys
import types
from typing import Any, Dict, Iterator, Optional, Tuple

OLD_NAME = re.compile(r"<ipython-input-(\d+)-")


def _numbers(shell: Any) -> Dict[str, int]:
    """The number of each cell, by the name that its code has."""
    numbers: Dict[str, int] = dict(getattr(shell.compile, "_filename_map", {}))
    for name in list(linecache.cache):
        match = OLD_NAME.match(name)
        if match:
            numbers[name] = int(match[1])
    return numbers


def running(shell: Any) -> int:
    """The number of the cell that runs; IPython's own counter may be ahead of it."""
    known: Dict[str, int] = getattr(shell.compile, "_filename_map", {})
    return max(known.values()) if known else int(shell.execution_count)


def calling_line(shell: Any) -> Tuple[str, int]:
    """The line of a cell that has led here: the name of its code, and its number."""
    numbers = _numbers(shell)
    frame: Optional[types.FrameType] = sys._getframe(1)
    while frame and frame.f_code.co_filename not in numbers:
        frame = frame.f_back
    return (frame.f_code.co_filename, frame.f_lineno) if frame else ("<scrun>", 1)


def _is_call(name: str) -> bool:
    """Whether the code only calls the cell magic, and the cell itself has another name."""
    return linecache.getline(name, 1).startswith("get_ipython().run_cell_magic('scalene'")


@contextlib.contextmanager
def sources(shell: Any) -> Iterator[None]:
    """While this lasts, the cells' text can be read from files of their names."""
    written = []
    for name in _numbers(shell):
        if os.path.isabs(name) and not os.path.exists(name):
            with contextlib.suppress(OSError):
                os.makedirs(os.path.dirname(name), mode=0o700, exist_ok=True)
                with open(name, "x", encoding="utf-8") as file:
                    file.writelines(linecache.getlines(name))
                written.append(name)
    try:
        yield
    finally:
        for name in written:
            with contextlib.suppress(OSError):
                os.unlink(name)
                os.rmdir(os.path.dirname(name))


def _renamed(value: Any, names: Dict[str, str]) -> Any:
    if isinstance(value, dict):
        return {names.get(key, key): _renamed(inner, names) for key, inner in value.items()}
    if isinstance(value, list):
        return [_renamed(inner, names) for inner in value]
    if isinstance(value, str):
        file, space, rest = value.partition(" ")  # a frame of "stacks": file function:line;
        return names.get(file, file) + space + rest
    return value


def _rename_in_findings(findings: Any, names: Dict[str, str]) -> Any:
    """Their sentences name files as well, without the folder."""
    text = json.dumps(findings)
    for name, cell in names.items():
        for written in (name, os.path.basename(name)):
            text = text.replace(json.dumps(written)[1:-1], cell)
    return json.loads(text)


def rename(shell: Any, path: str) -> None:
    """Calls the cells of a saved profile `[N]`."""
    names = {name: f"[{number}]" for name, number in _numbers(shell).items()}
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    for name in list(filter(_is_call, document["files"])):
        del document["files"][name]
    for part in ("files", "stacks", "combined_stacks", "memory_stacks", "max_footprint_fname"):
        if part in document:
            document[part] = _renamed(document[part], names)
    if "findings" in document:
        document["findings"] = _rename_in_findings(document["findings"], names)
    temporary = f"{path}.{os.getpid()}"
    with open(temporary, "w", encoding="utf-8") as file:
        json.dump(document, file, indent=4, sort_keys=True)
        file.write("\n")
    os.replace(temporary, path)
