# no leak
# SPDX-License-Identifier: Apache-2.0
"""A cache of 80 pictures, asked for at random: it fills quickly, then slowly, then not at all."""

import random

from pace import KB, MB, steps

chance = random.Random(1)
cache = {}


def load(key):
    raw = bytearray(2 * MB)
    return bytes(raw[:512 * KB])


for number in steps(60):
    key = chance.randrange(80)
    if key not in cache:
        cache[key] = load(key)
    shown = bytes(cache[key][:100 * KB])
