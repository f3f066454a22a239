# SPDX-License-Identifier: Apache-2.0
"""Lines that ask for a known number of bytes, by every way that memory is had.

usage: allocations.py SCALE

Each function tells how many bytes its line asked for, and in how many blocks of more than 512: what
malloc adds to these is not the program's. Smaller sizes are such that nothing is added. Loops go by
itertools.repeat: the numbers of a range are objects too. Nothing here is recycled by the interpreter
but what `recycled` makes.
"""

import ctypes
import mmap
import sys
from itertools import repeat

import recording

try:
    import numpy
except ImportError:
    numpy = None

SCALE = recording.option(1, 1.0)
MB = 1 << 20
HEAD = sys.getsizeof(b"")  # of a bytes object, with its closing zero
STEP = 600_000  # bytes that a block grows by
PRIVATE = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
libc.malloc.argtypes = [ctypes.c_size_t]
libc.realloc.restype = ctypes.c_void_p
libc.realloc.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
libc.free.argtypes = [ctypes.c_void_p]


def number(count):
    return max(1, int(SCALE * count))


def times(count):
    return repeat(None, number(count))


def halves(size):
    """Two texts whose sum is an object of this size: one allocation, nothing else."""
    length = size - HEAD
    return b"a" * (length // 2), b"b" * (length - length // 2)


def large_block():
    block = bytearray(int(200 * MB * SCALE))  # HERE
    return block.__alloc__(), 1


def small_objects():
    a, b = halves(64)
    objects = [a + b for _ in times(2_000_000)]  # HERE
    return 64 * len(objects) + sys.getsizeof(objects) - sys.getsizeof([]), 1


def small_churn():
    a, b = halves(336)
    for _ in times(500_000): a + b  # noqa: E701  # HERE
    return 336 * number(500_000), 0


def middle_churn():
    a, b = halves(8184)
    for _ in times(25_000): a + b  # noqa: E701  # HERE
    return 8184 * number(25_000), number(25_000)


def dict_churn():
    model = dict.fromkeys(range(100))
    for _ in times(30_000): model.copy()  # noqa: E701  # HERE
    return (sys.getsizeof(model.copy()) - sys.getsizeof({})) * number(30_000), number(30_000)


def appended_list():
    items = []
    append = items.append
    for _ in times(15_000_000): append(None)  # noqa: E701  # HERE
    return sys.getsizeof(items) - sys.getsizeof([]), 1


def grown_bytearray():
    data, piece = bytearray(), bytes(40_000)
    for _ in times(3_000): data += piece  # noqa: E701  # HERE
    return data.__alloc__(), 1


def mapped():
    region = mmap.mmap(-1, int(150 * SCALE) * MB, flags=PRIVATE)  # HERE
    return len(region), 1


def numpy_large():
    made = [numpy.ones(1_000_000) for _ in times(25)]  # HERE
    return sum(map(sys.getsizeof, made)), len(made)


def numpy_temporaries():
    one = numpy.ones(4_000)
    for _ in times(5_000): one + one  # noqa: E701  # HERE
    return sys.getsizeof(one + one) * number(5_000), number(5_000)


def from_libc():
    for _ in times(1_500): libc.free(libc.malloc(100_000))  # noqa: E701  # HERE
    return 100_000 * number(1_500), number(1_500)


def grown_by_two():
    """One line goes on where the other has ended."""
    block, step, steps = libc.malloc(STEP), STEP, number(200)
    for size in range(2 * step, (steps + 2) * step, step): block = libc.realloc(block, size)  # noqa: E701  # HERE
    for size in range(size, size + (steps + 1) * step, step): block = libc.realloc(block, size)  # noqa: E701  # HERE
    libc.free(block)
    return [(steps * step, 1), (steps * step, 1)]


def grown_in_turns():
    block, size = libc.malloc(STEP), STEP
    for _ in times(20):
        size += 5 * STEP
        block = libc.realloc(block, size)  # HERE
        size += 10 * STEP
        block = libc.realloc(block, size)  # HERE
    libc.free(block)
    return [(5 * STEP * number(20), 1), (10 * STEP * number(20), 1)]


def small_line():
    a, b = halves(128)
    objects = [a + b for _ in times(80_000)]  # HERE
    return 128 * len(objects) + sys.getsizeof(objects) - sys.getsizeof([]), 1


def tiny_line():
    block = bytearray(int(SCALE * MB))  # HERE
    return block.__alloc__(), 1


def recycled():
    a, b = object(), object()
    for _ in times(1_000_000): (a, b)  # noqa: E701  # HERE
    return 0, 0


def tell(function, python_part):
    made = function()
    parts = made if isinstance(made, list) else [made]
    first, last = recording.place(function).values()
    with open(__file__, encoding="utf-8") as source:
        lines = source.read().splitlines()
    here = [number for number in range(first, last + 1) if lines[number - 1].endswith("# HERE")]
    name = function.__name__.replace("_", " ")
    return [{"name": name if len(here) == 1 else "%s, line %d" % (name, line), "line": line, "mb": size / MB,
             "blocks": blocks, "first": first, "last": last, "python_part": python_part}
            for line, (size, blocks) in zip(here, parts)]


def tell_all(functions, python_part):
    return [row for function in functions for row in tell(function, python_part)]


rows = tell_all((large_block, small_objects, small_churn, middle_churn, dict_churn, appended_list, grown_bytearray,
                 small_line, tiny_line, recycled), 1.0)
rows += tell_all((mapped, from_libc, grown_by_two, grown_in_turns), 0.0)
if numpy:
    # Whether it asks Python or libc for its data, depends on its version.
    rows += tell_all((numpy_large, numpy_temporaries), None)
recording.tell(rows=rows, has_numpy=bool(numpy))
