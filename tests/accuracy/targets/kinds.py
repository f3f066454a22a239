# SPDX-License-Identifier: Apache-2.0
"""Phases that are of one kind each: Python, native, system, or neither.

usage: kinds.py SECONDS NATIVE_LIBRARY
"""

import ctypes
import gc
import hashlib
import json
import mmap
import os
import random
import re
import threading
import time
import zlib

import recording

try:
    import numpy
except ImportError:
    numpy = None

SECONDS = recording.option(1, 0.5)
LIBRARY = recording.option(2, "")
COUNT = range(20_000)
PHASES = []

random.seed(1)
NUMBERS = [random.random() for _ in range(20_000)]
WORDS = " ".join("word%d" % (i % 977) for i in range(20_000))
DOCUMENT = [{"name": "n%d" % i, "values": [i, i * 0.5, None, True]} for i in range(1500)]
TEXT = json.dumps(DOCUMENT)
BLOCK = bytes(random.getrandbits(8) for _ in range(100_000))
HUGE = 3 ** 1_000_000


def phase(kind):
    def add(function):
        PHASES.append((kind, function))
        return function

    return add


class Point:
    def __init__(self, x, y):
        self.x = x
        self.y = y


POINT = Point(1, 2)


@phase("python")
def ints():
    x = 1
    for i in COUNT:
        x = (x * 5 + i) & 0xFFFF


@phase("python")
def floats():
    x = 1.0
    for _ in COUNT:
        x = x * 0.999 + 0.5


@phase("python")
def attributes():
    point = POINT
    for i in COUNT:
        point.x = point.y + i


@phase("python")
def calls():
    def add(a, b=1):
        return a + b

    for i in COUNT:
        add(i)


@phase("python")
def instances():
    class Pair:
        def __init__(self, a, b):
            self.a = a
            self.b = b

    for i in COUNT:
        Pair(i, 2)


@phase("python")
def comprehension():
    return [i * 2 for i in COUNT if i & 1]


@phase("python")
def generator():
    def numbers():
        for i in COUNT:
            yield i + 1

    for _ in numbers():
        pass


@phase("python")
def dictionaries():
    counts = {i: 0 for i in range(64)}
    for i in COUNT:
        counts[i & 63] += 1


@phase("python")
def strings():
    for i in COUNT:
        text = f"{i}:{i & 7}"
        text[1:3]


@phase("python")
def exceptions():
    for i in COUNT:
        try:
            raise KeyError(i)
        except KeyError:
            pass


@phase("python")
def cycles():
    for _ in range(5000):
        ring = [None]
        ring[0] = ring


@phase("native")
def sorting():
    sorted(NUMBERS)


@phase("native")
def regular_expressions():
    re.findall(r"w\w+1\b", WORDS)


@phase("native")
def json_out():
    json.dumps(DOCUMENT)


@phase("native")
def json_in():
    return json.loads(TEXT)  # freed by the caller: whose time that would be here is a matter of taste


@phase("native")
def zlib_compress():
    zlib.compress(BLOCK, 6)


@phase("native")
def hashlib_sha256():
    hashlib.sha256(BLOCK * 10).digest()


@phase("native")
def joining():
    "".join(["some text"] * 100_000)


@phase("native")
def huge_product():
    return HUGE * HUGE


@phase("system")
def random_bytes():
    os.read(RANDOM, 1 << 20)


@phase("either")
def stat_calls():
    for _ in range(2000):
        os.stat("/")


@phase("native")
def fresh_memory():
    with mmap.mmap(-1, 16 << 20) as memory:
        memory[:] = FILLING


if LIBRARY:
    keeps_gil = ctypes.PyDLL(LIBRARY).native_work
    gives_gil = ctypes.CDLL(LIBRARY).native_work

    @phase("native")
    def extension_with_gil():
        keeps_gil(ctypes.c_ulong(2_000_000))

    @phase("native")
    def extension_without_gil():
        gives_gil(ctypes.c_ulong(2_000_000))


if numpy:
    MATRIX = numpy.ones((300, 300))
    ROW = numpy.arange(20_000.0)

    @phase("native")
    def numpy_dot():
        numpy.dot(MATRIX, MATRIX)

    @phase("native")
    def numpy_small():
        for _ in range(200):
            ROW + ROW


def sleeping(seconds):
    time.sleep(seconds)


def locking(seconds, lock=threading.Lock()):
    lock.acquire()
    lock.acquire(timeout=seconds)
    lock.release()


def wait(function):
    stolen, delay = recording.stolen(), recording.run_delay()
    start_cpu, start_wall = recording.cpu(), recording.wall()
    for _ in range(10):
        function(SECONDS / 10)
    passed = recording.since(delay, start_cpu, start_wall)
    return {"kind": "none", "name": function.__name__, "stolen_s": recording.stolen() - stolen, "user_s": 0,
            "system_s": 0, **passed, **recording.place(function)}


def warm_up():
    """What a first call does once (imports, specialising, caches) is not of the phase's kind."""
    for _, function in PHASES:
        function()


RANDOM = os.open("/dev/urandom", os.O_RDONLY)
FILLING = bytes(16 << 20)
warm_up()
rows = []
for kind, function in PHASES:
    # Collecting garbage is Python's time, whatever call it happens in.
    gc.enable() if kind == "python" else gc.disable()
    rows.append(dict(recording.repeat(function, SECONDS), kind=kind, name=function.__name__))
rows += [wait(sleeping), wait(locking)]
recording.tell(phases=rows, has_numpy=numpy is not None)
