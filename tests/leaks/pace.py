# SPDX-License-Identifier: Apache-2.0
"""The beat of the leak programs: so many steps a second, for the seconds of the first argument.

A step that comes late is made up for, so that what a program keeps grows as fast as its first line
says. Between steps it sleeps: what is judged is memory, and many of these programs run at a time.
"""

import sys
import time

SECONDS = float(sys.argv[1]) if len(sys.argv) > 1 else 14.0
KB = 1024
MB = 1024 * 1024


def steps(per_second, part=1.0):
    """Numbers from 0 up, for this part of the whole time."""
    start = time.monotonic()
    for number in range(int(part * SECONDS * per_second)):
        delay = start + number / per_second - time.monotonic()
        if delay > 0:
            time.sleep(delay)
        yield number
