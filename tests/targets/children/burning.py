# SPDX-License-Identifier: Apache-2.0
"""A child: burns CPU time until its own clock says so, and tells what it used in all. `burning.py WAY`"""

import os
import sys
import time

BURN_S = 0.5


def burn(way):
    value = 0
    while time.process_time() < BURN_S:
        for i in range(1000):
            value += i * i
    # One write: lines of children that run at the same time stay whole.
    os.write(1, b"%s %d %.6f\n" % (way.encode(), os.getpid(), time.process_time()))
    return value


if __name__ == "__main__":
    burn(sys.argv[1])
    os._exit(0)  # to end by itself would take it a while that it cannot tell of
