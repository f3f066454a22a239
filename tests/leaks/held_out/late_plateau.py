# no leak
# SPDX-License-Identifier: Apache-2.0
"""An index that fills steadily for three fifths of the run, then has seen everything."""

from pace import KB, SECONDS, steps

terms = {}
for number in steps(50):
    if number < 0.6 * 50 * SECONDS:
        for i in range(50):
            terms[number, i] = bytearray(KB)
    page = [bytes(KB) for _ in range(400)]
