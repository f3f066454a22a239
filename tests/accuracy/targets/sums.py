# SPDX-License-Identifier: Apache-2.0
"""A tree of processes and threads that use user and system time; at the end, what the kernel charged.

usage: sums.py SECONDS
"""

import mmap
import os
import resource
import subprocess
import sys
import threading
import zlib

import recording

SECONDS = recording.option(1, 0.6)
FILLING = bytes(8 << 20)
CHILD = "import time\nwhile time.process_time() < %g: sum(range(1000))" % SECONDS


def python():
    for i in range(10_000): i * i  # noqa: E701


def native():
    zlib.compress(FILLING, 1)


def system():
    with open("/dev/urandom", "rb", buffering=0) as file:
        file.read(1 << 20)


def faults():
    with mmap.mmap(-1, 8 << 20) as memory:
        memory[:] = FILLING


def in_fork():
    pid = os.fork()
    if pid == 0:
        recording.repeat(python, SECONDS / 2)
        recording.repeat(system, SECONDS / 2)
        os._exit(0)
    os.waitpid(pid, 0)


def in_threads():
    threads = [threading.Thread(target=recording.repeat, args=(function, SECONDS / 2))
               for function in (python, system)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


for function in (python, native, system, faults):
    recording.repeat(function, SECONDS)
in_fork()
in_threads()
subprocess.run([sys.executable, "-c", CHILD], check=True)
own = resource.getrusage(resource.RUSAGE_SELF)
reaped = resource.getrusage(resource.RUSAGE_CHILDREN)
recording.tell(user_s=own.ru_utime + reaped.ru_utime, system_s=own.ru_stime + reaped.ru_stime)
