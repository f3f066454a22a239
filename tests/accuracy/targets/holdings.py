# SPDX-License-Identifier: Apache-2.0
"""Lines that hold a known number of bytes when all together is most, and at the end.

usage: holdings.py SCALE
"""

import random
import sys
from itertools import repeat

import recording

SCALE = recording.option(1, 1.0)
MB = 1 << 20
HEAD = sys.getsizeof(b"")
SMALL, MIDDLE = 64, 100_008
A, B = b"a" * 15, b"b" * (SMALL - HEAD - 15)
C, D = b"c" * 50_000, b"d" * (MIDDLE - HEAD - 50_000)
rows = []


def times(count):
    return repeat(None, max(1, int(SCALE * count)))


def size_of(objects, each):
    if not objects:
        return 0.0
    return (each * sum(item is not None for item in objects) + sys.getsizeof(objects) - sys.getsizeof([])) / MB


class Holder:
    """What one line holds, now and at the peak."""

    def __init__(self, name, line, objects, each, is_random=False):
        self.objects, self.each = objects, each
        self.row = {"name": name, "line": line, "made_mb": size_of(objects, each), "is_random": is_random}
        rows.append(self.row)

    def note(self, when):
        self.row[when] = size_of(self.objects, self.each)


def line():
    return sys._getframe(1).f_lineno


def drop(objects, places):
    for i in places:
        objects[i] = None


def run():
    chance = random.Random(1)
    temporary = Holder("freed before the peak", line() + 1, [], 0)
    objects = [C + D for _ in times(1_500)]
    temporary.row["made_mb"] = size_of(objects, MIDDLE)
    del objects
    kept = Holder("small, all kept", line(), [A + B for _ in times(1_000_000)], SMALL)
    half = Holder("small, first half freed", line(), [A + B for _ in times(2_000_000)], SMALL)
    drop(half.objects, range(len(half.objects) // 2))
    thinned = Holder("small, a random half freed", line(), [A + B for _ in times(2_000_000)], SMALL, is_random=True)
    drop(thinned.objects, chance.sample(range(len(thinned.objects)), len(thinned.objects) // 2))
    middle = Holder("middle, freed after the peak", line(), [C + D for _ in times(1_200)], MIDDLE)
    large = Holder("one block", line(), [bytearray(int(130 * MB * SCALE))], int(130 * MB * SCALE) + 1)
    holders = [temporary, kept, half, thinned, middle, large]
    for holder in holders:
        holder.note("peak_mb")
    resident_mb = recording.resident() / MB
    del middle.objects[:]
    late = Holder("made after the peak", line(), [C + D for _ in times(500)], MIDDLE)
    late.row["peak_mb"] = 0.0
    for holder in [*holders, late]:
        holder.note("end_mb")
    recording.tell(rows=rows, resident_mb=resident_mb)
    return holders, late


held = run()  # until the interpreter ends
