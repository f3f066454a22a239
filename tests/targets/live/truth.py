"""truth.py OUT: computes, waits and allocates as it says at the end, before and while it is profiled."""

import json
import queue
import resource
import sys
import threading
import time
from itertools import repeat

from scalene import _live

OUT = sys.argv[1]
MB = 1 << 20
orders = queue.Queue()
used = {}


def until(end_s):
    while time.thread_time() < end_s:
        for _ in range(3000):
            pass


def before(seconds):
    until(time.thread_time() + seconds)


def first(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        for _ in range(3000):
            pass
    time.sleep(0)  # a call: what was not sampled yet, on a crowded machine, is so before the next function begins


def second(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        for _ in range(3000):
            pass
    time.sleep(0)


def early(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        for _ in range(3000):
            pass
    time.sleep(0)


def late(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        for _ in range(3000):
            pass
    time.sleep(0)


def asleep(seconds):
    time.sleep(seconds)


def small_objects(count):
    a, b = b"a" * 15, b"b" * 16
    return [a + b for _ in repeat(None, count)]


def large_objects(count):
    return [bytearray(MB) for _ in range(count)]


def serve():
    """A thread that was there before: computes what it is told to, and waits between."""
    before(0.1)
    for seconds in iter(orders.get, None):
        begun = time.thread_time()
        early(seconds)
        used["early"] = used.get("early", 0) + time.thread_time() - begun


def call(function, *arguments):
    begun = time.thread_time()
    function(*arguments)
    used[function.__name__] = time.thread_time() - begun


server = threading.Thread(target=serve, name="server")
server.start()
older = [bytearray(MB) for _ in range(30)]
before(0.2)
_live.start([], OUT)
begun = resource.getrusage(resource.RUSAGE_SELF)
orders.put(0.3)
call(first, 0.5)
call(second, 0.2)
new = threading.Thread(target=call, args=(late, 0.2), name="new")
new.start()
new.join()
objects = small_objects(200_000)
blocks = large_objects(60)
del older
fell_asleep = time.monotonic()
asleep(0.25)
used["asleep"] = time.monotonic() - fell_asleep
orders.put(0.1)
orders.put(None)
server.join()
ended = resource.getrusage(resource.RUSAGE_SELF)
used["process"] = ended.ru_utime + ended.ru_stime - begun.ru_utime - begun.ru_stime
assert _live.stop() == OUT
assert _live.stop() is None
print(json.dumps(used))
