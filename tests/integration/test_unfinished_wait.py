# SPDX-License-Identifier: Apache-2.0
"""A wait that its program does not survive counts up to the end, on its line and by its kind."""

import contextlib
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


def say(word, moment=None):
    os.write(1, ("%s %d %r\\n" % (word, os.getpid(), moment or time.monotonic())).encode())


def sleep():
    say("waits")
    time.sleep(60)  # at sleep


def pipe():
    say("waits")
    os.read(reading, 1)  # at pipe


def network():
    say("waits")
    near.recv(1)  # at network


def locked(begin):
    say("waits", begin)
    lock.acquire()  # at lock


def in_thread():
    worker = threading.Thread(target=locked, args=(time.monotonic(),))
    worker.start()
    worker.join()  # at join


def gpu():
    import ctypes
    library = ctypes.CDLL(sys.argv[2])
    say("waits")
    library.cuEventSynchronize(None)  # at gpu


def end_when_told():
    os.read(0, 1)
    say("ends")
    os._exit(3)


def forked():
    child = os.fork()
    if child == 0:
        sleep()
    os.read(0, 1)
    moment = time.monotonic()
    os.kill(child, 9)
    say("ends", moment)
    os.waitpid(child, 0)


def undumpable():
    import ctypes
    ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)
    sleep()


if sys.argv[2:] == ["exit"]:
    threading.Thread(target=end_when_told).start()
globals()[sys.argv[1]]()
"""

WAITS = {"sleep": ("sleep", "sleep"), "pipe": ("pipe", "pipe"), "network": ("network", "network"),
         "in_thread": ("lock", "lock")}


def line_of(mark):
    return 1 + next(i for i, line in enumerate(PROGRAM.splitlines()) if line.endswith("# at " + mark))


def thread_states(pid):
    """What the kernel says of each thread: whether it sleeps, and how often it has begun to."""
    found = {}
    for tid in os.listdir("/proc/%d/task" % pid):
        with contextlib.suppress(OSError), open("/proc/%d/task/%s/status" % (pid, tid), encoding="utf-8") as file:
            fields = dict(line.split(":", 1) for line in file)
            found[tid] = fields["State"].split()[0], int(fields["voluntary_ctxt_switches"])
    return found


def reach_sleep(pid):
    """A moment from which on all its threads sleep: a busy machine lets a program sleep late. Who waits for the GIL
    looks every 5 ms."""
    deadline = time.monotonic() + profiling.TIMEOUT_S
    while time.monotonic() < deadline:
        before, moment = thread_states(pid), time.monotonic()
        time.sleep(0.02)
        if {state for state, _ in before.values()} == {"S"} and thread_states(pid) == before:
            return moment
    raise AssertionError("it does not wait")


class Between:
    """Equals every number from one to another."""

    def __init__(self, least, most):
        self.least, self.most = least, most

    def __eq__(self, other):
        return self.least <= other <= self.most

    def __repr__(self):
        return "%.3f to %.3f" % (self.least, self.most)


class Session:
    """A program under the profiler that says when it waits and when it ends.

    However busy the machine is, its wait began after it said so and before it was seen to sleep, and ended after the
    last moment that was told and before scalene did. Nothing else is allowed for."""

    def __init__(self, python, path, words, options=(), prefix=()):
        self.out = path.parent / "profile.json"
        command = [*prefix, profiling.SCALENE, "run", "--python", python.path, "-o", self.out, *options, path, *words]
        self.stolen_before_s = profiling.stolen_s()
        self.start = time.monotonic()
        self.process = subprocess.Popen([str(word) for word in command], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=path.parent)
        word, self.pid, self.before = self.read()
        assert word == "waits"
        self.asleep = reach_sleep(self.pid)

    def read(self):
        word, pid, moment = self.process.stdout.readline().split()
        return word, int(pid), float(moment)

    def let_it_be_seen(self, after):
        """A wait has a line once scalene has looked at it, which it does from 0.1 s on: it has slept three times since."""
        time.sleep(after)
        looks = thread_states(self.process.pid)[str(self.process.pid)][1]
        while thread_states(self.process.pid)[str(self.process.pid)][1] < looks + 3:
            time.sleep(0.01)

    def kill(self, after):
        self.let_it_be_seen(after)
        self.kill_at_once()

    def kill_at_once(self):
        self.end = time.monotonic()
        os.kill(self.pid, signal.SIGKILL)

    def let_end(self, after):
        self.let_it_be_seen(after)
        self.process.stdin.write("x")
        self.process.stdin.flush()
        word, _, self.end = self.read()
        assert word == "ends"

    def finish(self):
        self.process.communicate(timeout=profiling.TIMEOUT_S)
        self.after = time.monotonic()
        return profiling.load(self.out, self.stolen_before_s)

    def waited(self):
        """The seconds of its wait."""
        return Between(self.end - self.asleep, self.after - self.before)

    def waited_in_all(self):
        """With what its one thread waited for before: its files, as long as a disk may take for them."""
        return Between(self.end - self.asleep, self.after - self.start)


def wait_at(document, mark):
    return profiling.lines(document, "program.py").get(line_of(mark), {}).get("wait_s", {})


def assert_waited(document, mark, kind, session):
    """And for nothing else, but for the GIL as long as another thread may have been kept from a core with it."""
    waits = dict(wait_at(document, mark))
    assert waits.pop(kind) == session.waited()
    assert waits.pop("gil", 0) <= profiling.late_s(document)
    assert waits == {}


@pytest.fixture
def path(program):
    return program(PROGRAM)


@pytest.mark.parametrize("what", WAITS)
def test_killed_in_a_wait(key_python, path, what):
    mark, kind = WAITS[what]
    session = Session(key_python, path, [what])
    session.kill(after=0.5)
    document = session.finish()
    assert session.process.returncode == -signal.SIGKILL
    assert_waited(document, mark, kind, session)
    if what == "in_thread":
        assert_waited(document, "join", "lock", session)
    assert profiling.complaints(document) == []


def test_killed_while_it_waits_for_a_gpu(key_python, path):
    session = Session(key_python, path, ["gpu", profiling.BUILD / "tests" / "targets" / "accelerators" / "libcuda.so.1"])
    session.kill(after=0.5)
    assert_waited(session.finish(), "gpu", "gpu", session)


@pytest.mark.parametrize("what", WAITS)
def test_ended_by_another_thread(key_python, path, what):
    mark, kind = WAITS[what]
    session = Session(key_python, path, [what, "exit"])
    session.let_end(after=0.5)
    document = session.finish()
    assert session.process.returncode == 3
    assert_waited(document, mark, kind, session)


def test_child_killed_in_its_first_wait(key_python, path):
    session = Session(key_python, path, ["forked"])
    session.let_end(after=1)
    document = session.finish()
    assert_waited(document, "sleep", "sleep", session)
    assert len(document["processes"]) == 2


def test_profiles_saved_meanwhile_count_nothing_twice(key_python, path):
    session = Session(key_python, path, ["sleep"], options=["--profile-interval", "0.2"])
    session.kill(after=1)
    document = session.finish()
    assert_waited(document, "sleep", "sleep", session)
    assert document["totals"]["wait_s"]["sleep"] == session.waited()


def test_a_wait_too_short_to_be_looked_at_is_still_time_of_its_thread(key_python, path):
    session = Session(key_python, path, ["sleep"])
    time.sleep(0.08)
    session.kill_at_once()
    document = session.finish()
    main = next(thread for thread in document["threads"] if thread["name"] == "MainThread")
    waited = main["wait_s"].get("sleep", 0) + main["wait_s"].get("other", 0)
    assert waited == session.waited_in_all()


def test_a_refused_look_is_said(path):
    """Without the right to look into others' memory, and a program that does not let itself be looked at."""
    python = profiling.Python("/usr/bin/python3", "system", (), True)
    prefix = ["setpriv", "--bounding-set", "-sys_ptrace"] if os.geteuid() == 0 else []
    session = Session(python, path, ["undumpable"], prefix=prefix)
    session.kill(after=1)
    document = session.finish()
    waited = document["totals"]["wait_s"]
    assert sum(waited.values()) == session.waited_in_all()
    assert [note for note in document["quality"]["notes"] if "did not let us look" in note]
