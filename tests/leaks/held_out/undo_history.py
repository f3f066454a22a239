# leak: KEPT 5 MB/s
# SPDX-License-Identifier: Apache-2.0
"""An editor that remembers the whole document before every change, beside a small cache of fonts."""

from pace import KB, steps

document = bytearray(256 * KB)
history = []
fonts = {}


def change(number):
    history.append(bytes(document))  # KEPT
    document[number % len(document)] = 65


for number in steps(20):
    change(number)
    fonts[number % 30] = bytearray(100 * KB)
    screen = [bytes(document[i:i + 100]) for i in range(0, 100 * KB, 100)]
