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
CHILD = """import resource, time
while time.process_time() < %g: sum(range(1000))
own = resource.getrusage(resource.RUSAGE_SELF)
print(own.ru_utime, own.ru_stime)""" % SECONDS


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
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        recording.repeat(python, SECONDS / 2)
        recording.repeat(system, SECONDS / 2)
        os.write(writer, b"%r %r" % recording.usage(resource.RUSAGE_SELF))
        os._exit(0)
    os.waitpid(pid, 0)
    return told_by_child(os.read(reader, 100))


def in_program():
    return told_by_child(subprocess.run([sys.executable, "-c", CHILD], check=True, stdout=subprocess.PIPE).stdout)


def told_by_child(text):
    user, system = map(float, text.split())
    return user, system


def in_threads():
    threads = [threading.Thread(target=recording.repeat, args=(function, SECONDS / 2)) for function in (python, system)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


for function in (python, native, system, faults):
    recording.repeat(function, SECONDS)
children = [in_fork()]
in_threads()
children.append(in_program())
reaped = resource.getrusage(resource.RUSAGE_CHILDREN)
# Process by process: its threads' accounts are split by another rule, which is not the profile's.
charged = [*children, recording.usage(resource.RUSAGE_SELF)]
recording.tell(user_s=sum(user for user, _ in charged), system_s=sum(system for _, system in charged),
               ending_s=reaped.ru_utime + reaped.ru_stime - sum(map(sum, children)))
