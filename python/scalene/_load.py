# SPDX-License-Identifier: Apache-2.0
"""Reads a profile, ours or the original Scalene's, into the objects of scalene.document."""

from __future__ import annotations

import dataclasses
import json
import os
from typing import Any, Dict, List, Type, TypeVar, Union

from scalene.document import (Ending, File, Frame, Function, Leak, Line, Measures, Process, Profile, Quality, Stack,
                              Thread, Totals)

Record = TypeVar("Record")
Code = TypeVar("Code", bound=Measures)

# A document writes these three so that it can stand in a web page.
ESCAPES = {"\\u0026": "&", "\\u003c": "<", "\\u003e": ">"}
# Fields of a profile that are records themselves.
NESTED = {"ended", "files", "stacks", "memory_stacks", "processes", "threads", "totals", "quality", "document"}


def _fill(kind: Type[Record], fields: Dict[str, Any], **others: Any) -> Record:
    """A record of those fields that it knows."""
    any_kind: Any = kind
    names = {field.name for field in dataclasses.fields(any_kind)}
    return kind(**{name: value for name, value in fields.items() if name in names and name not in others}, **others)


def _fill_code(kind: Type[Code], fields: Dict[str, Any]) -> Code:
    code = _fill(kind, fields)
    for escape, character in ESCAPES.items():
        code.line = code.line.replace(escape, character)
    return code


def _file(path: str, fields: Dict[str, Any]) -> File:
    return File(
        path=path,
        percent_cpu_time=fields.get("percent_cpu_time", 0.0),
        lines=[_fill_code(Line, line) for line in fields.get("lines", [])],
        functions=[_fill_code(Function, function) for function in fields.get("functions", [])],
        leaks={int(line): _fill(Leak, leak) for line, leak in fields.get("leaks", {}).items()},
        imports=list(fields.get("imports", [])),
    )


def _process(fields: Dict[str, Any]) -> Process:
    return _fill(Process, fields, ended=_fill(Ending, fields.get("ended", {})))


def _stacks(entries: List[Any]) -> List[Stack]:
    return [Stack([_fill(Frame, frame) for frame in frames], weight) for frames, weight in entries]


def _profile(document: Dict[str, Any]) -> Profile:
    plain = {name: value for name, value in document.items() if name not in NESTED}
    ended = document.get("ended")
    return _fill(
        Profile,
        plain,
        ended=_fill(Ending, ended) if ended else None,
        files={path: _file(path, fields) for path, fields in document.get("files", {}).items()},
        stacks=_stacks(document.get("combined_stacks", [])),
        memory_stacks=_stacks(document.get("memory_stacks", [])),
        processes=[_process(fields) for fields in document.get("processes", [])],
        threads=[_fill(Thread, fields) for fields in document.get("threads", [])],
        totals=_fill(Totals, document.get("totals", {})),
        quality=_fill(Quality, document.get("quality", {})),
        document=document,
    )


def load(path: Union[str, "os.PathLike[str]"] = "scalene-profile.json") -> Profile:
    """The profile in this file. Raises OSError if it cannot be read, ValueError if it is no profile."""
    name = os.fspath(path)
    with open(name, encoding="utf-8") as file:
        try:
            document = json.load(file)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"{name} is not JSON: {error}") from None
    if not isinstance(document, dict) or (document and not isinstance(document.get("files"), dict)):
        raise ValueError(f"{name} is not a profile of scalene: it has no files")
    try:
        return _profile(document)
    except (AttributeError, TypeError, ValueError) as error:
        raise ValueError(f"{name} is a broken profile: {error}") from None
