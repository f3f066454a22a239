# SPDX-License-Identifier: Apache-2.0
"""Memory that crosses threads, and that of many threads, of native threads and of children.

usage: crossings.py SCALE LIBRARY
"""

import ctypes
import os
import queue
import sys
import threading
from itertools import repeat

import recording

SCALE = recording.option(1, 1.0)
LIBRARY = recording.option(2, "libnative_memory.so")
MB = 1 << 20
HEAD = sys.getsizeof(b"")
A, B = b"a" * 200, b"b" * (432 - HEAD - 200)  # 432 bytes together
C, D = b"c" * 10_000, b"d" * (20_008 - HEAD - 10_000)  # 20,008
THREADS = 200
rows = []


def number(count):
    return max(1, int(SCALE * count))


def times(count):
    return repeat(None, number(count))


def tell(name, line, size, blocks, end_mb=0.0, threads=1):
    rows.append({"name": name, "line": line, "mb": size / MB, "blocks": blocks, "end_mb": end_mb, "threads": threads})


def size_of(count, each):
    """Of a list that grew to hold so many, with what it holds. As long as its table is small, the
    interpreter moves it from pool to pool, and each is had anew."""
    items = [None for _ in repeat(None, count)]
    moved = sum(size for size in (32, 64, 128, 192, 256, 320, 416, 512) if size < 8 * count)
    return count * each + sys.getsizeof(items) - sys.getsizeof([]) + moved


def produce(jobs):
    for _ in times(300):
        jobs.put([A + B for _ in repeat(None, 1_000)])
    jobs.put(None)


def consume(jobs):
    while jobs.get() is not None:
        pass


def across():
    """One thread makes, another frees."""
    tell("made here, freed there", produce.__code__.co_firstlineno + 2, number(300) * size_of(1_000, 432),
         number(300))
    jobs = queue.Queue(5)
    run([threading.Thread(target=produce, args=(jobs,)), threading.Thread(target=consume, args=(jobs,))])


def swarm(gate):
    gate.wait()
    held = [A + B for _ in times(1_500)]
    more = [C + D for _ in times(30)]
    gate.wait()
    del held, more


def many():
    first = swarm.__code__.co_firstlineno
    gate = threading.Barrier(THREADS)
    tell("%d threads, small" % THREADS, first + 2, THREADS * size_of(number(1_500), 432), THREADS,
         threads=THREADS)
    tell("%d threads, middle" % THREADS, first + 3, THREADS * size_of(number(30), 20_008), THREADS * number(30),
         threads=THREADS)
    run([threading.Thread(target=swarm, args=(gate,)) for _ in range(THREADS)])


def run(threads):
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def child():
    kept = [C + D for _ in times(6_000)]
    os._exit(0 if kept else 1)  # so that a child's end is that of its memory


def children():
    tell("in two children", child.__code__.co_firstlineno + 1, 2 * size_of(number(6_000), 20_008), number(12_000), None)
    for _ in range(2):
        pid = os.fork()
        if pid == 0:
            child()
        os.waitpid(pid, 0)


across()
many()
children()
blocks, kept, size = int(500 * SCALE), int(100 * SCALE), 100_000
ctypes.CDLL(LIBRARY).native_threads(ctypes.c_long(blocks), ctypes.c_long(size), ctypes.c_long(kept))
recording.tell(rows=rows, native_mb=4 * blocks * size / MB)
