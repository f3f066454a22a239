# SPDX-License-Identifier: Apache-2.0
"""Writes the line tables of standard library modules, with the line of every instruction as the
interpreter itself understands them, for line_table_check. Runs on Python 3.8 and later."""

import dis
import os
import struct
import sys
import types

MODULES = 300


def code_objects(code):
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from code_objects(constant)


def ranges(code):
    if hasattr(code, "co_lines"):
        return list(code.co_lines())
    starts = list(dis.findlinestarts(code))
    ends = [start for start, _ in starts[1:]] + [len(code.co_code)]
    return [(start, end, line) for (start, line), end in zip(starts, ends)]


def expected_lines(code):
    lines = [code.co_firstlineno] * (len(code.co_code) // 2)
    known = code.co_firstlineno
    for start, end, line in ranges(code):
        known = known if line is None else line
        for index in range(start // 2, min(end // 2, len(lines))):
            lines[index] = known
    return lines


def dump(code, out):
    table = code.co_linetable if hasattr(code, "co_linetable") else code.co_lnotab
    lines = expected_lines(code)
    out.write(struct.pack("=iiII", sys.version_info[1], code.co_firstlineno, len(table), len(lines)))
    out.write(table)
    out.write(struct.pack("=%di" % len(lines), *lines))


def sources():
    library = os.path.dirname(os.__file__)
    for folder, folders, names in sorted(os.walk(library)):
        folders[:] = [name for name in folders if name not in ("site-packages", "lib2to3")]
        for name in sorted(names):
            if name.endswith(".py"):
                yield os.path.join(folder, name)


def main():
    compiled = 0
    for path in sources():
        try:
            with open(path, "rb") as file:
                module = compile(file.read(), path, "exec", dont_inherit=True)
        except (OSError, SyntaxError, ValueError):
            continue
        for code in code_objects(module):
            dump(code, sys.stdout.buffer)
        compiled += 1
        if compiled == MODULES:
            break


main()
