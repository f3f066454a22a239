# SPDX-License-Identifier: Apache-2.0
"""Maps, resizes, protects and copies in every way that Python has; prints what it sees."""

import array
import ctypes
import mmap
import os
import signal
import tempfile
import threading
import time

PAGE = mmap.PAGESIZE
ANONYMOUS = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS


def show(name, action):
    try:
        print(name, action())
    except Exception as error:  # noqa: BLE001
        print(name, type(error).__name__, error)


def resized():
    area = mmap.mmap(-1, 3 * PAGE, ANONYMOUS)
    area[:4] = b"kept"
    area.resize(400 * PAGE)
    area[-1:] = b"x"
    return bytes(area[:4]), len(area)


def of_file(size, **options):
    with tempfile.TemporaryFile() as file:
        file.truncate(size)
        with mmap.mmap(file.fileno(), 0, **options) as area:
            return len(area), area[size // 2]


def protected():
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + [ctypes.c_int] * 3 + [ctypes.c_long]
    libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    area = libc.mmap(None, 1 << 40, 0, ANONYMOUS | 0x4000, -1, 0)
    results = [libc.mprotect(area + PAGE, 2 * PAGE, 3)]
    ctypes.memset(area + PAGE, 7, 2 * PAGE)
    results.append(libc.mprotect(area, PAGE + 1, 0))
    results.append(libc.munmap(area + 1, PAGE))
    results.append(ctypes.get_errno())
    results.append(libc.munmap(area, 1 << 40))
    return results


def copied():
    block = bytes(range(256)) * 1000
    target = bytearray(block)
    target[100:200] = b"y" * 5000
    del target[3:100]
    joined = b"".join([block[i::7] for i in range(7)])
    numbers = array.array("d", range(10000))
    numbers.extend(numbers[:5000])
    return hash(bytes(target)) == hash(bytes(target)), len(joined), sum(numbers), block[::-1][:5]


def in_handler():
    seen = []

    def handle(number, frame):
        with mmap.mmap(-1, 10 * PAGE) as area:
            area[:3] = b"abc"
            seen.append(bytes(area[:3]))

    signal.signal(signal.SIGALRM, handle)
    signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
    while len(seen) < 20:
        mmap.mmap(-1, PAGE).close()
    signal.setitimer(signal.ITIMER_REAL, 0)
    return seen[:20]


def in_threads():
    def work():
        areas = [mmap.mmap(-1, PAGE * (i + 1)) for i in range(50)]
        for area in areas[::2] + areas[1::2]:
            area.close()

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    while len(os.listdir("/proc/self/task")) > 1:  # joined, and yet on its way out: fork() would warn of it
        time.sleep(0.001)
    return len(threads)


def in_child():
    area = mmap.mmap(-1, PAGE)
    private = mmap.mmap(-1, PAGE, ANONYMOUS)
    child = os.fork()
    if child == 0:
        area[:5] = b"child"
        private.close()
        os._exit(3)
    status = os.waitpid(child, 0)[1]
    return os.WEXITSTATUS(status), area[:5]


show("resized", resized)
show("private file", lambda: of_file(10 << 20, access=mmap.ACCESS_COPY))
show("sparse file", lambda: of_file(10 << 30))
show("too much", lambda: mmap.mmap(-1, 1 << 60))
show("nothing", lambda: mmap.mmap(-1, 0))
show("not a file", lambda: mmap.mmap(999, PAGE))
show("protected", protected)
show("copied", copied)
show("in a handler", in_handler)
show("in threads", in_threads)
show("in a child", in_child)
