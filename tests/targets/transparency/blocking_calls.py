# SPDX-License-Identifier: Apache-2.0
"""usage: blocking_calls.py LIBRARY CALLS: threads in C that block and burn, beside Python that burns."""
import ctypes
import sys
import threading

THREADS = 8
library = ctypes.CDLL(sys.argv[1])
library.blocking_calls.restype = ctypes.c_bool
library.blocking_calls.argtypes = [ctypes.c_uint32, ctypes.c_long, ctypes.c_void_p]
kinds = library.blocking_calls_kinds()
interrupted = [(ctypes.c_long * kinds)() for _ in range(THREADS)]
is_done = False
answers = []


def work(index):
    answers.append(library.blocking_calls(index + 1, int(sys.argv[2]) // THREADS, interrupted[index]))


def burn():
    while not is_done:
        sum(range(100))


threads = [threading.Thread(target=work, args=(index,)) for index in range(THREADS)]
other = threading.Thread(target=burn)
for thread in threads + [other]:
    thread.start()
for thread in threads:
    thread.join()
is_done = True
other.join()
print(all(answers), [sum(counts) for counts in zip(*interrupted)])
