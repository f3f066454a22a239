# no leak
# SPDX-License-Identifier: Apache-2.0
"""Buffers that are handed out and taken back; the pool grows while demand does, which is for a while."""

import random

from pace import KB, steps

chance = random.Random(3)
free, used = [], []


def take():
    return free.pop() if free else bytearray(256 * KB)


for number in steps(60):
    used.append(take())
    while used and (len(used) > 30 or chance.random() < 0.45):
        free.append(used.pop(chance.randrange(len(used))))
    message = bytes(used[-1][:64 * KB]) if used else b""
