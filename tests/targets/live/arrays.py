"""arrays.py OUT: numpy, loaded while the program is profiled."""

import sys
import time

from scalene import _live

OUT = sys.argv[1]


def filled(count):
    return [numpy.ones(1 << 17) for _ in range(count)]


def sorted_often(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        numpy.sort(numbers)


_live.start([], OUT)
import numpy  # noqa: E402

numbers = numpy.random.rand(200_000)
arrays = filled(50)
sorted_often(0.4)
_live.stop()
print(len(arrays))
