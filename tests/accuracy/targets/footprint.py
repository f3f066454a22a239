# SPDX-License-Identifier: Apache-2.0
"""Holds so many megabytes of one kind, every page of them written, and tells what the kernel says.

usage: footprint.py KIND MEGABYTES
"""

import array
import mmap
import sys
from itertools import repeat

import recording

KIND = recording.option(1, "bytes")
WANTED = recording.option(2, 512) << 20
PIECE = 100_000
SMALL = 63  # 96 bytes with what comes before it
KEYS = list(range(1000))
ARENA = 1 << 20
POOL = 4096 if sys.version_info < (3, 10) else 16384  # of objects of one size, behind 48 bytes of its own


def mapped(flags):
    region = mmap.mmap(-1, max(WANTED, mmap.PAGESIZE), flags=flags)
    for start in range(0, WANTED, mmap.PAGESIZE):
        region[start] = 1
    return [region], WANTED


def many(make):
    """Pieces, and their sum by their own account."""
    size = sys.getsizeof(make())
    pieces = [None] * (WANTED // size)  # of the right length at once: no page of it stays untouched
    for i in range(len(pieces)):
        pieces[i] = make()
    return pieces, size * len(pieces) + sys.getsizeof(pieces)


def bytes_of_every_size():
    """No two alike in a row, and small ones among them."""
    sizes = [size for size in range(100, 40_000, 333)]
    pieces = [b"x" * size for _ in repeat(None, WANTED // sum(sizes)) for size in sizes]
    return pieces, sum(map(sys.getsizeof, pieces)) + sys.getsizeof(pieces)


def small_objects():
    pieces, counted = many(lambda: b"x" * SMALL)
    size = sys.getsizeof(b"x" * SMALL)
    slack = POOL - (POOL - 48) // size * size
    return pieces, counted + slack * (len(pieces) * size // POOL)


def numpy_arrays():
    import numpy

    return many(lambda: numpy.ones(PIECE // 8))


KINDS = {
    "bytes": lambda: many(lambda: b"x" * PIECE),
    "bytes of every size": bytes_of_every_size,
    "lists": lambda: many(lambda: [None] * (PIECE // 8)),
    "dicts": lambda: many(lambda: dict.fromkeys(KEYS)),
    "small objects": small_objects,
    "array": lambda: many(lambda: array.array("d", [1.0]) * (PIECE // 8)),
    "numpy": numpy_arrays,
    "private map": lambda: mapped(mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS),
    "shared map": lambda: mapped(mmap.MAP_SHARED | mmap.MAP_ANONYMOUS),
}

held, counted = KINDS[KIND]()
# The first pool of an arena may be lost to alignment.
unsure = counted // ARENA * POOL if KIND == "small objects" and POOL > 4096 else 0
recording.tell(counted=counted + unsure / 2, unsure=unsure / 2, resident=recording.resident())
