# SPDX-License-Identifier: Apache-2.0
"""Calls that block, each timed by the wall clock less the thread's CPU clock; and calls that do not.

usage: waits.py SECONDS FILE_TO_SYNC
"""

import os
import queue
import resource
import select
import socket
import subprocess
import sys
import threading
import time

import recording

SECONDS = recording.option(1, 0.3)
PATH = recording.option(2, "waits.data")
ROUNDS = 6
PAUSE = SECONDS / ROUNDS
BLOCK = bytes(4 << 20)
rows = []


class Stopwatch:
    """Adds up the time of one call, made many times on one line."""

    def __init__(self, name, kind):
        self.row = {"name": name, "kind": kind, "first": 0, "last": 0, "calls": 0,
                    "wall_s": 0.0, "cpu_s": 0.0, "ready_s": 0.0, "unsure_s": 0.0, "stolen_s": 0.0}
        rows.append(self.row)
        self.stolen = recording.stolen()

    def __enter__(self):
        self.reads = recording.disk_reads()
        self.ready = recording.run_delay()
        self.start = recording.wall(), recording.cpu()

    def __exit__(self, *_):
        used = recording.cpu() - self.start[1]
        passed = recording.wall() - self.start[0]
        self.row["wall_s"] += passed
        self.row["cpu_s"] += used
        self.row["calls"] += 1
        self.row["ready_s"] += recording.run_delay() - self.ready
        self.row["unsure_s"] += passed if recording.disk_reads() != self.reads else 0
        self.row["stolen_s"] = recording.stolen() - self.stolen

    def at(self, line):
        self.row["first"] = self.row["last"] = line
        return self


def later(function, *arguments):
    """Does it in another thread after a pause."""

    def do():
        time.sleep(PAUSE)
        function(*arguments)

    threading.Thread(target=do, daemon=True).start()


def line():
    return sys._getframe(1).f_lineno


def sleeping():
    watch = Stopwatch("sleep", "sleep").at(line() + 3)
    for _ in range(ROUNDS):
        with watch:
            time.sleep(PAUSE)
    watch = Stopwatch("short sleeps", "sleep").at(line() + 3)
    for _ in range(600):
        with watch:
            time.sleep(0.0004)


def locking():
    lock = threading.Lock()
    lock.acquire()
    watch = Stopwatch("lock", "lock").at(line() + 4)
    for _ in range(ROUNDS):
        later(lock.release)
        with watch:
            lock.acquire()
    jobs = queue.Queue()
    watch = Stopwatch("queue", "lock").at(line() + 4)
    for _ in range(ROUNDS):
        later(jobs.put, 1)
        with watch:
            jobs.get()


def piping():
    reader, writer = os.pipe()
    watch = Stopwatch("pipe", "pipe").at(line() + 4)
    for _ in range(ROUNDS):
        later(os.write, writer, b"x")
        with watch:
            os.read(reader, 1)


def networking():
    one, other = socket.socketpair()
    watch = Stopwatch("socket", "network").at(line() + 4)
    for _ in range(ROUNDS):
        later(other.send, b"x")
        with watch:
            one.recv(1)
    watch = Stopwatch("select on a socket", "network").at(line() + 4)
    for _ in range(ROUNDS):
        later(other.send, b"x")
        with watch:
            select.select([one], [], [])
        one.recv(1)


def syncing():
    fd = os.open(PATH, os.O_RDWR | os.O_CREAT, 0o600)
    watch = Stopwatch("fsync", "disk").at(line() + 6)
    for _ in range(400):
        if watch.row["wall_s"] > SECONDS:  # disks differ, and a few milliseconds say nothing
            break
        os.pwrite(fd, BLOCK, 0)
        with watch:
            os.fsync(fd)
    watch = Stopwatch("cached file", "none").at(line() + 3)
    for _ in range(100):
        with watch:
            os.pread(fd, 4 << 20, 0)
    os.close(fd)
    os.unlink(PATH)


def children():
    watch = Stopwatch("waitpid", "child").at(line() + 4)
    for _ in range(ROUNDS):
        pid = os.posix_spawn("/bin/sleep", ["sleep", "%g" % PAUSE], {})
        with watch:
            os.waitpid(pid, 0)
    watch = Stopwatch("subprocess", "child").at(line() + 4)
    for _ in range(ROUNDS):
        child = subprocess.Popen(["/bin/sleep", "%g" % PAUSE])
        with watch:
            child.wait()


def drawing():
    fd = os.open("/dev/urandom", os.O_RDONLY)
    watch = Stopwatch("urandom", "none").at(line() + 3)
    for _ in range(100):
        with watch:
            os.read(fd, 1 << 20)


def own_naps():
    return resource.getrusage(resource.RUSAGE_THREAD).ru_nvcsw


READER = """
import socket, sys, time
ear = socket.socket(fileno=int(sys.argv[1]))
while ear.recv(1000):
    end = time.thread_time() + 0.002
    while time.thread_time() < end:
        pass
"""


def standing_back():
    """Each send wakes who computes on the same core: the sender is put off, and has not waited."""
    mouth, ear = socket.socketpair()
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    reader = subprocess.Popen([sys.executable, "-c", READER, str(ear.fileno())], pass_fds=[ear.fileno()])
    ear.close()
    watch = Stopwatch("send to who takes the core", "none").at(line() + 5)
    for _ in range(50):
        time.sleep(0.004)
        naps, wall = own_naps(), watch.row["wall_s"]
        with watch:
            mouth.send(b"a thing to do")
        if own_naps() != naps:  # something else made it sleep
            watch.row["unsure_s"] += watch.row["wall_s"] - wall
    mouth.close()
    reader.wait()
    os.sched_setaffinity(0, cores)


before = recording.run_delay()
sleeping()
locking()
piping()
networking()
syncing()
children()
drawing()
standing_back()
recording.tell(waits=rows, ready_s=recording.run_delay() - before)
