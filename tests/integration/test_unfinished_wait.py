# SPDX-License-Identifier: Apache-2.0
"""A wait that its program does not survive counts up to the end, on its line and by its kind."""

import json
import os
import signal
import subprocess
import time

import profiling
import pytest

PROGRAM = """\
import os, socket, sys, threading, time

reading, writing = os.pipe()
near, far = socket.socketpair()
lock = threading.Lock()
lock.acquire()


def say(word):
    os.write(1, ("%s %d %r\\n" % (word, os.getpid(), time.monotonic())).encode())


def sleep():
    say("waits")
    time.sleep(60)  # at sleep


def pipe():
    say("waits")
    os.read(reading, 1)  # at pipe


def network():
    say("waits")
    near.recv(1)  # at network


def locked():
    say("waits")
    lock.acquire()  # at lock


def in_thread():
    worker = threading.Thread(target=locked)
    worker.start()
    worker.join()  # at join


def end_soon():
    time.sleep(1)
    say("ends")
    os._exit(3)


def forked():
    child = os.fork()
    if child == 0:
        sleep()
    time.sleep(1)
    os.kill(child, 9)
    say("ends")
    os.waitpid(child, 0)


def undumpable():
    import ctypes
    ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)
    sleep()


if sys.argv[2:] == ["exit"]:
    threading.Thread(target=end_soon).start()
globals()[sys.argv[1]]()
"""

WAITS = {"sleep": ("sleep", "sleep"), "pipe": ("pipe", "pipe"), "network": ("network", "network"),
         "in_thread": ("lock", "lock")}


def line_of(mark):
    return 1 + next(i for i, line in enumerate(PROGRAM.splitlines()) if line.endswith("# at " + mark))


def states(pid):
    """What the kernel says of each thread: S sleeps, Z is dead. Nothing of a process that is gone."""
    try:
        found = set()
        for tid in os.listdir("/proc/%d/task" % pid):
            with open("/proc/%d/task/%s/stat" % (pid, tid), encoding="utf-8") as file:
                found.add(file.read().rpartition(")")[2].split()[0])
        return found
    except (FileNotFoundError, ProcessLookupError):
        return set()


def reach(pid, *wanted):
    """The moment when all its threads are as wanted: a busy machine lets a program sleep, or die, late."""
    while states(pid) not in wanted:
        time.sleep(0.001)
    return time.monotonic()


class Session:
    """A program under the profiler that says when it waits and when it ends."""

    def __init__(self, python, path, words, options=(), prefix=()):
        self.out = path.parent / "profile.json"
        command = [*prefix, profiling.SCALENE, "run", "--python", python.path, "-o", self.out, *options, path, *words]
        self.process = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=path.parent)
        word, self.pid, _ = self.read()
        assert word == "waits"
        self.begin = reach(self.pid, {"S"})

    def read(self):
        word, pid, moment = self.process.stdout.readline().split()
        return word, int(pid), float(moment)

    def kill(self, after):
        time.sleep(after)
        os.kill(self.pid, signal.SIGKILL)
        return reach(self.pid, {"Z"}, set()) - self.begin

    def told_end(self):
        word, _, moment = self.read()
        assert word == "ends"
        return moment - self.begin

    def finish(self):
        self.process.communicate(timeout=60)
        with open(self.out, encoding="utf-8") as file:
            return json.load(file)


def wait_at(document, mark):
    return profiling.lines(document, "program.py").get(line_of(mark), {}).get("wait_s", {})


def near(seconds, slack=0.05):
    return pytest.approx(seconds, abs=slack + 0.02 * seconds)


@pytest.fixture
def path(program):
    return program(PROGRAM)


@pytest.mark.parametrize("what", WAITS)
def test_killed_in_a_wait(python, path, what):
    mark, kind = WAITS[what]
    session = Session(python, path, [what])
    seconds = session.kill(after=1)
    document = session.finish()
    assert session.process.returncode == -signal.SIGKILL
    assert wait_at(document, mark) == {kind: near(seconds)}
    if what == "in_thread":
        assert wait_at(document, "join") == {"lock": near(seconds)}
    assert document["quality"]["notes"] == []


@pytest.mark.parametrize("what", WAITS)
def test_ended_by_another_thread(python, path, what):
    mark, kind = WAITS[what]
    session = Session(python, path, [what, "exit"])
    seconds = session.told_end()
    document = session.finish()
    assert session.process.returncode == 3
    assert wait_at(document, mark) == {kind: near(seconds)}


def test_child_killed_in_its_first_wait(python, path):
    session = Session(python, path, ["forked"])
    seconds = session.told_end()
    document = session.finish()
    # Children are looked after every 50 ms.
    assert wait_at(document, "sleep") == {"sleep": near(seconds, slack=0.1)}
    assert len(document["processes"]) == 2


def test_profiles_saved_meanwhile_count_nothing_twice(python, path):
    session = Session(python, path, ["sleep"], options=["--profile-interval", "0.2"])
    seconds = session.kill(after=1)
    document = session.finish()
    assert wait_at(document, "sleep") == {"sleep": near(seconds)}
    assert document["totals"]["wait_s"]["sleep"] == near(seconds)


def test_a_wait_too_short_to_be_looked_at_is_still_time_of_its_thread(python, path):
    session = Session(python, path, ["sleep"])
    seconds = session.kill(after=0.08)
    document = session.finish()
    main = next(thread for thread in document["threads"] if thread["name"] == "MainThread")
    waited = main["wait_s"].get("sleep", 0) + main["wait_s"].get("other", 0)
    assert waited == near(seconds)


def test_a_refused_look_is_said(path):
    """Without the right to look into others' memory, and a program that does not let itself be looked at."""
    python = next(python for python in profiling.pythons() if python.is_system)
    prefix = ["setpriv", "--bounding-set", "-sys_ptrace"] if os.geteuid() == 0 else []
    session = Session(python, path, ["undumpable"], prefix=prefix)
    seconds = session.kill(after=1)
    document = session.finish()
    waited = document["totals"]["wait_s"]
    assert sum(waited.values()) == near(seconds, slack=0.1)
    assert [note for note in document["quality"]["notes"] if "did not let us look" in note]
