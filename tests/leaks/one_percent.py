# leak: KEPT 1.2 MB/s 60 s
# SPDX-License-Identifier: Apache-2.0
"""Of what one line makes, a hundredth is kept: the rest is freed at the next step."""

from pace import KB, steps

kept = []


def make():
    return bytearray(8 * KB)  # KEPT


for number in steps(76.8):
    batch = [make() for _ in range(200)]
    kept += batch[:2]  # HOLDS
