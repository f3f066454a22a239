# SPDX-License-Identifier: Apache-2.0
"""Files and functions stay small, and begin as every file here begins."""

import re

import checking

LIMITS = {".c": 600, ".h": 200, ".py": 400, ".ts": 400, ".tsx": 400, ".mjs": 200}
FUNCTION_LINES = 60
PARAMETERS = 6
# A list, however long, is one idea: hooked functions, records, the fields of a profile.
TABLES = {"src/agent/hook_list.h", "src/wire/record.h", "src/profile/profile.h"}

GIVEN = {("src/serve/server.c", "answer")}  # libmicrohttpd's callback

BODY = re.compile(r"^(?P<head>[^\n#/][^;{}]*\))\n\{\n(?P<body>.*?)^\}", re.M | re.S)
LEFTOVERS = re.compile(r"\b(?:TODO|FIXME|XXX|HACK)\b|^\s*#\s*if\s+[01]\b", re.M)


def parameter_count(head):
    inside = head[head.index("(") + 1:head.rindex(")")]
    inside = re.sub(r"\([^()]*\)", "", inside)
    return 0 if inside.strip() in ("", "void") else inside.count(",") + 1


def function_problems(path, text):
    for match in BODY.finditer(text):
        head = match["head"]
        name = re.search(r"(\w+)\s*\(", head)
        where = "%s:%d: %s" % (path, text.count("\n", 0, match.start()) + 1, name[1] if name else "?")
        length = match["body"].count("\n") + 2
        if length > FUNCTION_LINES:
            yield "%s has %d lines, %d at most" % (where, length, FUNCTION_LINES)
        # A system call has a number and six arguments; macros in capitals stand for a whole head.
        is_given = "syscall" in path or (name and (name[1].isupper() or (path, name[1]) in GIVEN))
        if parameter_count(head) > PARAMETERS and not is_given:
            yield "%s has %d parameters, %d at most" % (where, parameter_count(head), PARAMETERS)


def problems_of(path):
    text = checking.read(path)
    suffix = path[path.rindex("."):] if "." in path.split("/")[-1] else ".py"
    lines = text.count("\n")
    if lines > LIMITS[suffix] and path not in TABLES:
        yield "%s has %d lines, %d at most" % (path, lines, LIMITS[suffix])
    opening = text.splitlines()[:2]
    if not any("SPDX-License-Identifier: Apache-2.0" in line for line in opening):
        yield "%s does not begin with its licence" % path
    if suffix == ".h" and "#pragma once" not in text:
        yield "%s has no #pragma once" % path
    if suffix in (".c", ".h"):
        yield from function_problems(path, text)
        for match in LEFTOVERS.finditer(text):
            yield "%s:%d: %s" % (path, text.count("\n", 0, match.start()) + 1, match[0].strip())


def scripts():
    """Scripts without a suffix, by their first line."""
    for path in checking.files("tools", ".ci"):
        if checking.read(path).startswith("#!"):
            yield path


paths = [path for path in checking.files("*.c", "*.h", "*.py", "*.ts", "*.tsx", "*.mjs") if "/targets/" not in path and "/fixtures/" not in path] + list(scripts())
checking.end("sizes", [problem for path in paths for problem in problems_of(path)])
