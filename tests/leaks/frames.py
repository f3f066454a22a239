# no leak
# SPDX-License-Identifier: Apache-2.0
"""Tables of columns, filtered, joined and summed batch by batch; only a small summary stays."""

import array

from pace import steps

ROWS = 40_000
summaries = []


def read(number):
    return {name: array.array("d", [number]) * ROWS for name in "abcdef"}


def keep(frame, part):
    return {name: column[:int(part * ROWS)] for name, column in frame.items()}


def joined(one, other):
    return {name: one[name] + other[name] for name in one}


previous = read(0)
for number in steps(12):
    frame = read(number)
    wide = joined(keep(frame, 0.5), keep(previous, 0.25))
    summaries.append((number, wide["a"][0]))
    previous = frame
