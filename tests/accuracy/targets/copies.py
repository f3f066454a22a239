# SPDX-License-Identifier: Apache-2.0
"""Lines that copy a known number of bytes.

usage: copies.py SCALE
"""

import ctypes
import sys
from itertools import repeat

import recording

try:
    import numpy
except ImportError:
    numpy = None

SCALE = recording.option(1, 1.0)
MB = 1 << 20
rows = []


def times(count):
    return repeat(None, max(1, int(SCALE * count)))


def tell(name, line, each, count):
    rows.append({"name": name, "line": line, "mb": each * max(1, int(SCALE * count)) / MB})


def line():
    return sys._getframe(1).f_lineno


def of_bytes():
    source, target = bytearray(MB), bytearray(MB)
    text = bytes(10_000)
    tell("bytes of a bytearray", line() + 1, MB, 300)
    for _ in times(300): bytes(source)  # noqa: E701
    tell("slices of 2000 bytes", line() + 1, 2000, 150_000)
    for _ in times(150_000): text[1000:3000]  # noqa: E701
    tell("slices of 100 bytes", line() + 1, 100, 3_000_000)
    for _ in times(3_000_000): text[100:200]  # noqa: E701
    tell("into a bytearray", line() + 1, MB, 300)
    for _ in times(300): target[:] = source  # noqa: E701
    pieces = [text] * 100
    tell("join", line() + 1, 1_000_000, 300)
    for _ in times(300): b"".join(pieces)  # noqa: E701


def of_others():
    source, target = ctypes.create_string_buffer(MB), ctypes.create_string_buffer(MB)
    tell("memmove", line() + 1, MB, 300)
    for _ in times(300): ctypes.memmove(target, source, MB)  # noqa: E701
    if numpy:
        array = numpy.ones(250_000)
        tell("numpy copy", line() + 1, 2_000_000, 200)
        for _ in times(200): array.copy()  # noqa: E701
    tell("nothing", line() + 1, 0, 1)
    for _ in times(2_000_000): pass  # noqa: E701


of_bytes()
of_others()
recording.tell(rows=rows, has_numpy=bool(numpy))
