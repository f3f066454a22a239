# SPDX-License-Identifier: Apache-2.0
"""every_byte.py SECONDS LIBRARY: memory of every kind, in threads and forks, of which every byte is checked.

Native threads (every_byte.c) go on beside Python's; Python's make objects of all sizes, hand them to
one another and compare them with what they must be; the main thread forks meanwhile, and each child
looks at what it has inherited. Ends with the number of errors as its status.
"""

import array
import ctypes
import mmap
import os
import queue
import random
import sys
import threading
import time

SECONDS = float(sys.argv[1])
LIBRARY = ctypes.CDLL(sys.argv[2])
NATIVE_THREADS, PYTHON_THREADS = 4, 4
LIBRARY.every_byte.restype = LIBRARY.every_byte_in_child.restype = ctypes.c_long
LIBRARY.every_byte.argtypes = [ctypes.c_int, ctypes.c_double, ctypes.c_uint64, ctypes.POINTER(ctypes.c_uint64)]
LIBRARY.every_byte_in_child.argtypes = [ctypes.c_uint64]
PATTERN = bytes(range(256)) * 4000
PRIVATE = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
errors = []
end = time.monotonic() + SECONDS


def expected(seed, size):
    return PATTERN[seed % 256:seed % 256 + size]


def make_map(seed, size):
    region = mmap.mmap(-1, size, flags=PRIVATE)
    region[:] = expected(seed, size)
    return region


def make_grown(seed, size):
    data = bytearray()
    text = expected(seed, size)
    for start in range(0, size, 1 + size // 9):
        data += text[start:start + 1 + size // 9]
    return data


MAKERS = [expected, lambda seed, size: bytearray(expected(seed, size)), make_grown,
          lambda seed, size: array.array("B", expected(seed, size)), make_map,
          lambda seed, size: tuple(expected(seed, size)[:300]),
          lambda seed, size: expected(seed, size).decode("latin-1"),
          lambda seed, size: {i: byte for i, byte in enumerate(expected(seed, size)[:300])},
          lambda seed, size: ctypes.create_string_buffer(expected(seed, size), size)]


def bytes_of(thing):
    if isinstance(thing, mmap.mmap):
        return thing[:]
    if isinstance(thing, str):
        return thing.encode("latin-1")
    if isinstance(thing, dict):
        return bytes(thing.values())
    return bytes(thing)


def is_right(thing, seed, size):
    found = bytes_of(thing)
    return found == expected(seed, size)[:len(found)] and len(found) >= min(size, 300)


def work(number, inbox, outbox):
    chance = random.Random(number)
    held = []
    while time.monotonic() < end and not errors:
        seed = chance.randrange(256)
        size = 1 + int(600_000 ** chance.random())
        held.append((chance.choice(MAKERS)(seed, size), seed, size))
        if chance.random() < 0.3:
            outbox.put(held.pop(chance.randrange(len(held))))
        while not inbox.empty():
            held.append(inbox.get())
        while len(held) > 200:
            thing, seed, size = held.pop(chance.randrange(len(held)))
            if not is_right(thing, seed, size):
                errors.append("%s of %d bytes" % (type(thing).__name__, size))


def fork(number):
    pid = os.fork()
    if pid == 0:
        made = [(maker(number + size, size), number + size, size) for size in (1, 100, 5_000, 200_000)
                for maker in MAKERS]
        wrong = LIBRARY.every_byte_in_child(number) + sum(not is_right(*item) for item in made)
        os._exit(1 if wrong else 0)
    return pid


def run_native(result):
    operations = ctypes.c_uint64()
    wrong = LIBRARY.every_byte(NATIVE_THREADS, SECONDS, 12345, ctypes.byref(operations))
    result += [wrong, operations.value]


def main():
    native, children = [], 0
    queues = [queue.Queue() for _ in range(PYTHON_THREADS)]
    threads = [threading.Thread(target=run_native, args=(native,))]
    threads += [threading.Thread(target=work, args=(i, queues[i], queues[i - 1])) for i in range(PYTHON_THREADS)]
    for thread in threads:
        thread.start()
    while time.monotonic() < end and not errors:
        status = os.waitpid(fork(children), 0)[1]
        children += 1
        if status:
            errors.append("child %d ended with %d" % (children, status))
        time.sleep(0.2)
    for thread in threads:
        thread.join()
    print("%d errors in %d operations of native threads, %d children; %s" % (
        native[0], native[1], children, errors or "Python's objects are right"), file=sys.stderr)
    sys.exit(min(100, native[0] + len(errors)))


if __name__ == "__main__":
    import warnings

    warnings.simplefilter("ignore", DeprecationWarning)  # of forks with threads: that is what is tried here
    main()
