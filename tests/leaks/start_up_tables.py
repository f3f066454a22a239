# no leak
# SPDX-License-Identifier: Apache-2.0
"""Tables built in the first fifth of the run, and requests that use them ever after."""

from pace import KB, steps

table = {}
for number in steps(50, part=0.2):
    for key in range(100):
        table[number, key] = b"%04d" % key * 1000
for number in steps(50, part=0.8):
    answer = b"".join(table[1, key] for key in range(100))
    copy = bytearray(answer[:200 * KB])
