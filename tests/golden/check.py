# SPDX-License-Identifier: Apache-2.0
"""Renders the saved profiles of this folder and compares with the stored output.

usage: check.py RENDER [--write]

NAME-WIDTH[-WORD...].txt is what `render NAME.json WIDTH WORD...` prints. With --write the stored
output is replaced; look at the difference before it is kept.
"""

import pathlib
import re
import subprocess
import sys
import unicodedata

FOLDER = pathlib.Path(__file__).parent
WIDTHS = (40, 60, 80, 100, 120, 132, 200)  # one of each step that render/column.h tells
TURNING = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"  # the reading order
FORMATS = ("tsv", "json", "md", "form")  # which have no width


def cases():
    for width in WIDTHS:
        yield "mixed", width, ()
        yield "mixed", width, ("color",)
        yield "mixed", width, ("ascii",)
        yield "memory", width, ()
    for width in (40, 60, 80, 100, 132):
        yield "async", width, ()
        yield "gpu", width, ()
    for width in (60, 100):
        yield "mixed", width, ("reduced",)
        yield "empty", width, ()
        yield "original", width, ()
        yield "mixed", width, ("seconds", "errors")
    for width in (40, 80, 132):
        yield "mixed", width, ("rows-3",)
        yield "memory", width, ("sort-memory", "rows-4")
    yield "original", 100, ("color", "reduced")
    for form in FORMATS:
        yield "gpu", 0, (form,)
    for name in ("mixed", "memory", "original", "empty"):
        for form in FORMATS:
            yield name, 0, (form,)
    for form in FORMATS:
        yield "async", 0, (form,)
    yield "memory", 0, ("tsv", "sort-time", "rows-2")
    yield "memory", 132, ("color",)
    yield "memory", 132, ("ascii",)


def columns(text):
    """How wide a line of output is."""
    text = re.sub("\033\\[[0-9;]*m", "", text)
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    return len(text) + wide


def problems_of(output, width, words):
    """What must hold for any profile at any width."""
    for line in output.split("\n"):
        if width and columns(line) > width:
            yield f"{columns(line)} columns: {line!r}"
        bare = re.sub("\033\\[[0-9;]*m", "", line) if "color" in words else line
        if "tsv" in words:
            bare = bare.replace("\t", "")
        if any(unicodedata.category(c) == "Cc" or c in TURNING for c in bare):
            yield f"control character: {line!r}"
        if "ascii" in words and not bare.isascii():
            yield f"not ASCII: {line!r}"


def main():
    renderer, is_writing = sys.argv[1], "--write" in sys.argv[2:]
    failures, expected = [], set()
    for name, width, words in cases():
        stored = FOLDER / ("-".join((name, str(width), *words)) + ".txt")
        expected.add(stored)
        command = [renderer, str(FOLDER / f"{name}.json"), str(width), *words]
        output = subprocess.run(command, capture_output=True, check=True).stdout
        failures += [f"{stored.name}: {p}" for p in problems_of(output.decode(), width, words)]
        if is_writing:
            stored.write_bytes(output)
        elif not stored.exists() or stored.read_bytes() != output:
            failures.append(f"{stored.name}: differs; tools/regolden rewrites it")
    for stored in set(FOLDER.glob("*.txt")) - expected:
        failures.append(f"{stored.name}: no case makes it")
    print("\n".join(failures[:30]))
    print(f"{len(expected)} outputs, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
