# SPDX-License-Identifier: Apache-2.0
"""Who includes whom, who knows the interpreter, who prints: the table of docs/architecture.md."""

import re

import checking

MAY_INCLUDE = {
    "base": set(),
    "wire": set(),
    "agent": {"wire"},
    "profile": {"base"},
    "launch": {"base", "wire"},
    "accel": {"base"},
    "collect": {"base", "wire", "profile", "accel"},
    "render": {"base", "profile"},
    "suggest": {"base", "profile"},
    "serve": {"base", "profile", "render", "suggest"},
    "cli": {"base", "profile", "launch", "collect", "render", "serve", "suggest"},
}

INCLUDE = re.compile(r'^\s*#\s*include\s+(["<])([^">]+)[">]')
PRINTING = re.compile(r"\b(?:printf|vprintf|puts|putchar|perror|dprintf|psignal|err|warn)\s*\("
                      r"|\b(?:fprintf|fputs|fputc|fwrite|vfprintf)\s*\(.*\bstd(?:out|err)\b")
PRINTERS = ("src/cli/", "src/base/mem.c")
# A call of the interpreter's own functions, or one of its structures.
INTERPRETER = re.compile(r"\b_?Py[A-Z]\w*\s*\(|\bPy(?:Object|ThreadState|CodeObject|FrameObject)\b")
KNOWS_INTERPRETER = ("src/agent/cpython/", "src/agent/lifecycle/")


def without_comments(line):
    return re.sub(r'//.*|/\*.*?\*/|"(?:\\.|[^"\\])*"', '""', line)


def include_problem(path, name):
    module = path.split("/")[1]
    if "/" not in name:
        return '%s includes "%s" without its module' % (path, name)
    target = name.split("/")[0]
    if target != module and target not in MAY_INCLUDE[module]:
        return "%s: %s/ may not include %s" % (path, module, name)
    return None


def problems_of(path):
    if path.split("/")[1] not in MAY_INCLUDE:
        yield "%s: a module that check_layers.py does not know" % path
        return
    for number, line in checking.numbered_lines(path):
        where = "%s:%d" % (path, number)
        include = INCLUDE.match(line)
        if include and include[1] == '"':
            problem = include_problem(path, include[2])
            if problem:
                yield problem
        elif include and include[2] == "Python.h":
            yield where + ": no file includes Python.h; layouts are tables in agent/cpython"
        code = without_comments(line)
        if PRINTING.search(code) and not path.startswith(PRINTERS):
            yield where + ": only cli prints"
        if INTERPRETER.search(code) and path.startswith("src/agent/") and not path.startswith(KNOWS_INTERPRETER):
            yield where + ": only agent/cpython and agent/lifecycle know the interpreter"


checking.end("layers", [problem for path in checking.files("src/*.c", "src/*.h") for problem in problems_of(path)])
