# no leak
# SPDX-License-Identifier: Apache-2.0
"""Tasks for four threads: what a task makes is gone when its answer has been read."""

import concurrent.futures

from pace import KB, steps


def task(number):
    data = bytearray((100 + 30 * (number % 7)) * KB)
    parts = [bytes(data[i:i + 4 * KB]) for i in range(0, 64 * KB, 4 * KB)]
    return b"".join(parts)


with concurrent.futures.ThreadPoolExecutor(4) as pool:
    for number in steps(25):
        futures = [pool.submit(task, number + i) for i in range(4)]
        total = sum(len(future.result()) for future in futures)
