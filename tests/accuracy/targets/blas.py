# SPDX-License-Identifier: Apache-2.0
"""Two lines that multiply matrices with the help of BLAS's own threads, by the main thread's clock.

usage: blas.py SECONDS
"""

import os
import time

import numpy
import recording

SECONDS = recording.option(1, 1.0)
SMALL = numpy.ones((200, 200))
LARGE = numpy.ones((700, 700))


def small():
    return SMALL @ SMALL


def large():
    return LARGE @ LARGE


rows = [recording.repeat(small, SECONDS), recording.repeat(large, 2 * SECONDS)]
recording.tell(lines=rows, main_s=recording.cpu(), process_s=time.process_time(),
               threads=len(os.listdir("/proc/self/task")), cores=os.cpu_count())
