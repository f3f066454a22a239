# leak: KEPT 2 MB/s
# SPDX-License-Identifier: Apache-2.0
"""A leak behind batches twenty times as large that are all freed, and behind a large start."""

from pace import KB, MB, steps

tables = [bytearray(MB) for _ in range(60)]
forgotten = []
batch = []


def remember():
    forgotten.append(bytearray(40 * KB))  # KEPT


for number in steps(51.2):
    batch.append(bytearray(400 * KB))
    if len(batch) == 100:
        batch = []
    remember()
