# leak: KEPT 4 MB/s
# SPDX-License-Identifier: Apache-2.0
"""The collector is off "for speed", and every job leaves a cycle behind."""

import gc

from pace import KB, steps

gc.disable()


class Job:
    def __init__(self):
        self.me = self  # HOLDS
        self.data = bytearray(64 * KB)  # KEPT


for number in steps(64):
    job = Job()  # HOLDS
    copy = bytes(job.data) + bytes(job.data)
