# leak: KEPT 2.5 MB/s
# SPDX-License-Identifier: Apache-2.0
"""A cache that forgets the key of what it throws out, and not the value: the list of values grows."""

from pace import KB, steps

places = {}
values = []


def store(key, size):
    places[key] = len(values)
    values.append(bytearray(size))  # KEPT
    if len(places) > 50:
        del places[next(iter(places))]


for number in steps(40):
    store(number, 64 * KB)
    copy = bytes(values[places[number]]) * 5
