# no leak
# SPDX-License-Identifier: Apache-2.0
"""Cycles, freed only when the collector comes round."""

import gc

from pace import KB, steps

gc.disable()


class Node:
    def __init__(self):
        self.me = self
        self.data = bytearray(64 * KB)


for number in steps(100):
    node = Node()
    if number % 230 == 229:
        gc.collect()
