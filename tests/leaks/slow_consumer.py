# leak: KEPT 3 MB/s 60 s
# SPDX-License-Identifier: Apache-2.0
"""A queue whose reader is slower than its writer: one item in four is left for ever."""

import queue
import threading

from pace import KB, steps

waiting = queue.Queue()
copies = {}


def produce():
    for _ in steps(64):
        waiting.put(bytearray(192 * KB))  # KEPT


def consume():
    for number in steps(48):
        copies[number % 8] = bytes(waiting.get())


threads = [threading.Thread(target=function) for function in (produce, consume)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
