# SPDX-License-Identifier: Apache-2.0
"""The work of every recipe: burns CPU time for MARKED_S seconds, and notes in the file MARKED_LOG which process did
and how much it was by its own clock."""

import os
import time

BURN_S = float(os.environ["MARKED_S"])


def marked():
    time.sleep(0.001)  # where it waits, a thread tells what the kernel has put off: nothing of before comes later
    begin = now = time.thread_time()
    value = 0
    while now < begin + BURN_S:
        for i in range(1000):
            value += i * i
        now = time.thread_time()
    time.sleep(0.002)
    # One write: lines of several processes stay whole.
    file = os.open(os.environ["MARKED_LOG"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.write(file, b"%d %.6f\n" % (os.getpid(), now - begin))
    os.close(file)
    return str(os.getpid())
