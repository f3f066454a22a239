# SPDX-License-Identifier: Apache-2.0
"""A thread that computes in short bursts on absolute deadlines, on two lines 1:2.

usage: bursts.py SECONDS BURST_MS PERIOD_MS
"""

import threading
import time

import recording

SECONDS = recording.option(1, 3.0)
BURST_S = recording.option(2, 1.5) / 1000
PERIOD_S = recording.option(3, 8.0) / 1000
told = {}


def bursts(rounds):
    one, two = range(rounds), range(2 * rounds)
    first = second = 0.0
    deadline = end = recording.wall()
    end += SECONDS
    while deadline < end:
        a = recording.cpu()
        for i in one: i * i  # noqa: E701
        b = recording.cpu()
        for i in two: i * i  # noqa: E701
        c = recording.cpu()
        first += b - a
        second += c - b
        deadline += PERIOD_S
        time.sleep(max(0.0, deadline - recording.wall()))
    told.update(first_s=first, second_s=second, cpu_s=recording.cpu(), names=recording.thread_name(),
                line=bursts.__code__.co_firstlineno + 7)


thread = threading.Thread(target=bursts, args=(recording.rounds_of(BURST_S / 3),), name="bursts")
thread.start()
thread.join()
recording.tell(**told)
