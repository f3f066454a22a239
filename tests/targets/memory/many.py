# SPDX-License-Identifier: Apache-2.0
"""Holds more blocks than the agent can follow at a fine mean, and frees some at random."""

import gc
import os
import random
import time


def hold_some():
    held = [None] * 600000
    for at in range(0, len(held), 2000):
        for i in range(at, at + 2000):
            held[i] = bytes(47)  # 80 bytes
        time.sleep(0.005)  # the records must find room: this is not about speed
    return held


def hold_all():
    held = [None] * 100000
    for at in range(0, len(held), 500):
        for i in range(at, at + 500):
            held[i] = bytes(303)  # 336 bytes
        time.sleep(0.005)
    return held


gc.disable()
some, others = hold_some(), hold_all()
draw = random.Random(3).random
some = [each for each in some if draw() < 0.5]
print("some", len(some) * 80, "all", len(others) * 336, flush=True)
os._exit(0)
