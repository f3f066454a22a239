"""storm.py OUT SECONDS: begins and ends profiling over and over, while threads compute, allocate, wait, come
and go, load libraries, fork and get signals. Ends with status 0 if everything was what it should be."""

import ctypes.util
import hashlib
import os
import queue
import random
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import zlib

from scalene import _live

OUT, SECONDS = sys.argv[1], float(sys.argv[2])
end = time.monotonic() + SECONDS
errors, ticks = [], []


def check(is_right, what):
    if not is_right:
        errors.append(what)


def allocate():
    random_source = random.Random(threading.get_ident())
    kept = {}
    while time.monotonic() < end:
        size = random_source.choice((10, 100, 700, 5000, 300_000))
        data = bytes([size % 251]) * size
        kept[random_source.randrange(50)] = data
        check(data.count(data[:1]) == size, "a block has changed")


def compute():
    block = b"0123456789" * 5000
    expected = hashlib.sha256(block).hexdigest()
    while time.monotonic() < end:
        check(hashlib.sha256(block).hexdigest() == expected, "a digest is wrong")
        check(zlib.decompress(zlib.compress(block)) == block, "a copy is wrong")


def talk():
    left, right = socket.socketpair()
    while time.monotonic() < end:
        left.sendall(b"x" * 100)
        check(right.recv(100) == b"x" * 100, "bytes were lost")


def come_and_go():
    while time.monotonic() < end:
        answers = queue.Queue()
        threads = [threading.Thread(target=lambda: answers.put(sum(range(1000)))) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        check([answers.get() for _ in threads] == [499500] * 4, "a thread was lost")


def load():
    names = [name for name in map(ctypes.util.find_library, ("m", "bz2", "lzma", "ssl", "sqlite3")) if name]
    while time.monotonic() < end:
        library = ctypes.CDLL(random.choice(names))
        time.sleep(0.002)
        ctypes.CDLL(None).dlclose(ctypes.c_void_p(library._handle))


def start_programs():
    while time.monotonic() < end:
        done = subprocess.run(["/bin/echo", "word"], stdout=subprocess.PIPE)
        check(done.stdout == b"word\n" and done.returncode == 0, "a program went wrong")
        time.sleep(0.01)


def write():
    with tempfile.TemporaryFile() as file:
        while time.monotonic() < end:
            file.seek(0)
            file.write(b"y" * 10_000)
            file.flush()
            file.seek(0)
            check(file.read() == b"y" * 10_000, "a file is wrong")


signal.signal(signal.SIGALRM, lambda *_: ticks.append(1))
signal.setitimer(signal.ITIMER_REAL, 0.005, 0.005)
kinds = (allocate, allocate, compute, talk, come_and_go, load, start_programs, write)
threads = [threading.Thread(target=kind) for kind in kinds]
for thread in threads:
    thread.start()
times = 0
while time.monotonic() < end or times < 3 or len(ticks) <= 10:
    _live.start(random.choice(([], [], ["--cpu-only"], ["--no-stacks"])), OUT)
    time.sleep(random.uniform(0, 0.1))
    check(_live.stop() == OUT, "no profile")
    time.sleep(random.uniform(0, 0.02))
    times += 1
for thread in threads:
    thread.join()
signal.setitimer(signal.ITIMER_REAL, 0)
try:
    check(os.waitpid(-1, os.WNOHANG) is None, "a child was left")
except ChildProcessError:
    pass
print(times, file=sys.stderr)
print(sorted(set(errors)))
sys.exit(bool(errors))
