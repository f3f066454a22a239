# leak: KEPT 5 MB/s
# SPDX-License-Identifier: Apache-2.0
"""A memo without a bound, asked something new nine times out of ten."""

import functools

from pace import KB, steps


@functools.lru_cache(maxsize=None)
def picture(number):
    draft = bytearray(100 * KB)
    return bytes(draft[:64 * KB])  # KEPT


for number in steps(90):
    picture(number if number % 10 else 0)  # HOLDS
