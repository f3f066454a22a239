# no leak
# SPDX-License-Identifier: Apache-2.0
"""The least recently used of two hundred makes room for the newest."""

import collections
import random

from pace import KB, steps

ROOM = 200
chance = random.Random(2)
cache = collections.OrderedDict()


def lookup(key):
    if key in cache:
        cache.move_to_end(key)
        return cache[key]
    value = cache[key] = bytearray(128 * KB)
    if len(cache) > ROOM:
        cache.popitem(last=False)
    return value


for number in steps(80):
    lookup(chance.randrange(1000))
