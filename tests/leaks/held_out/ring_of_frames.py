# no leak
# SPDX-License-Identifier: Apache-2.0
"""A ring of pictures, each replaced by one of another size; the sizes wander."""

import random

from pace import KB, steps

chance = random.Random(4)
ring = [None] * 60
size = 300.0
for number in steps(50):
    size = min(600.0, max(100.0, size * chance.uniform(0.9, 1.111)))
    ring[number % len(ring)] = bytearray(int(size) * KB)
    preview = bytes(ring[number % len(ring)][:50 * KB])
