# SPDX-License-Identifier: Apache-2.0
"""Allocates in functions of which each is known to allocate just so much, and much else besides."""

import gc
import json
import os
import subprocess
import sys
import threading

COUNT = 100000


def hold_small():
    """COUNT objects of 73 bytes, and the list that holds them."""
    held = [None] * COUNT
    for i in range(COUNT):
        held[i] = bytes(40)
    return held


def hold_large():
    held = []
    for _ in range(20):
        held.append(bytearray(1000000))
    return held


def churn():
    for _ in range(COUNT):
        bytes(267)  # 300 in all


def grow():
    """Ends at 8 MB, by realloc."""
    grown = bytearray()
    for _ in range(8000):
        grown += b"y" * 1000
    return grown


def much_else():
    rows = [(i, str(i), {"a": i}, [i] * 5, b"x" * (i % 1000)) for i in range(5000)]
    for row in rows[::3]:
        row[3].extend(range(100))
    text = ""
    for _ in range(20000):
        text += "x"
    return len(json.loads(json.dumps([row[:2] for row in rows]))), len(text)


def in_threads():
    results = []
    threads = [threading.Thread(target=lambda: results.append(much_else())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def in_a_child():
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        print("child", much_else(), flush=True)
        os._exit(3)
    return os.waitpid(child, 0)[1]


def main():
    print(in_a_child())
    small, large = hold_small(), hold_large()
    churn()
    grown = grow()
    print(len(small), len(large), len(grown), in_threads())
    del large, grown
    gc.collect()
    print(subprocess.check_output([sys.executable, "-c", "print(len([object() for _ in range(9999)]))"]))
    os._exit(0)  # what is held is held at the end


main()
