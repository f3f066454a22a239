# SPDX-License-Identifier: Apache-2.0
"""Test runners and servers from PyPI at work in a terminal, bare or under the profiler, and stopped as their users do it."""

import concurrent.futures
import contextlib
import dataclasses
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import threading
import time
import urllib.error
import urllib.request

import endings
import ports
import profiling
import pytest
from terminal import Terminal

PACKAGES = ["celery", "django", "flask", "gunicorn", "pytest", "pytest-xdist", "uvicorn"]
MARKED_S = {True: "0.3", False: "0.01"}  # by whether it is profiled
AT_ONCE = 4
SAMPLE_S = 0.01
SAMPLE_OWN_S = 50e-6  # of the agent's own time at each point, at most, that moves the next one
LOOP = ("while now <", "for i in", "value +=", "now = ", "time.sleep(0.002)")  # which is where what is late is told

_pty = threading.Lock()  # who is forked meanwhile would keep the other's terminal open


def by_ctrl_c(session):
    session.terminal.type("\x03")


def by_sigterm(session):
    os.kill(session.terminal.pid, signal.SIGTERM)


def by_pid_file(session):
    os.kill(int((session.folder / "pid").read_text()), signal.SIGTERM)


@dataclasses.dataclass(frozen=True)
class Recipe:
    """What follows `python`, and what is done with it once it runs. ADDRESS, PORT and BIN, the folder of the packages'
    commands, are filled in."""

    words: str
    workers: int = 1  # processes that must have done marked work
    use: object = None  # use(session): makes it work; None: it works by itself, and ends
    stop: object = by_ctrl_c
    is_daemon: bool = False  # what was started ends at once, and with it the terminal, if nobody waits


@dataclasses.dataclass
class Session:
    """One recipe, from its start to its end."""

    python: profiling.Python
    folder: pathlib.Path
    is_profiled: bool
    status: int = None
    output: str = ""
    pids: set = dataclasses.field(default_factory=set)  # of Python processes seen, but for short-lived ones

    def __post_init__(self):
        shutil.copytree(profiling.TARGETS / "recipes", self.folder, ignore=shutil.ignore_patterns("__pycache__"))
        for name in ("tmp", "home"):
            (self.folder / name).mkdir()
        self.out = self.folder / "tmp" / "profile.json"
        self.log = self.folder / "log"
        self.address = ports.own_address()
        self.port = ports.free_port(self.address)

    @property
    def environment(self):
        return {"TMPDIR": str(self.folder / "tmp"), "HOME": str(self.folder / "home"), "MARKED_LOG": str(self.log),
                "MARKED_S": MARKED_S[self.is_profiled], "PYTHONDONTWRITEBYTECODE": "1", "C_FORCE_ROOT": "1"}

    def start(self, recipe):
        known = {"ADDRESS": self.address, "PORT": str(self.port), "BIN": os.path.dirname(self.python.path)}
        words = re.sub("|".join(known), lambda found: known[found[0]], recipe.words).split()
        command = [self.python.path, *words]
        if self.is_profiled:
            command = [profiling.SCALENE, "run", "--python", self.python.path, "-o", self.out, *words]
        with _pty:
            self.terminal = Terminal([str(word) for word in command], self.folder, **self.environment)

    def run(self, recipe):
        self.start(recipe)
        if recipe.use:
            recipe.use(self)
            self.look_at_processes()
            recipe.stop(self)
        self.status = self.terminal.end()
        self.output = self.terminal.output
        return self

    def look_at_processes(self):
        """Those of the terminal's session that run Python."""
        waiting = [self.terminal.pid]
        while waiting:
            pid = waiting.pop()
            waiting += endings.children(pid)
            with contextlib.suppress(FileNotFoundError):  # it has ended
                if os.path.basename(os.readlink("/proc/%d/exe" % pid)).startswith("python"):
                    self.pids.add(pid)

    def burnt(self):
        """What the marked function took each time: (process, seconds)."""
        rows = self.log.read_text().split() if self.log.exists() else []
        return [(int(pid), float(cpu_s)) for pid, cpu_s in zip(rows[::2], rows[1::2])]

    def ask(self):
        """The answer of the server; None: it is not there yet."""
        try:
            address = "http://%s:%d/" % (self.address, self.port)
            with urllib.request.urlopen(address, timeout=profiling.TIMEOUT_S) as answer:
                return answer.read().decode()
        except urllib.error.URLError as error:
            assert isinstance(error.reason, ConnectionRefusedError), error
            return None

    def ask_until(self, workers):
        """Until so many of its processes have answered: asked as many times at once, as one that is quick, or there
        before the others, might answer alone for long."""
        seen = set()
        deadline = time.monotonic() + profiling.TIMEOUT_S
        with concurrent.futures.ThreadPoolExecutor(workers) as pool:
            while len(seen) < workers:
                assert self.terminal.read_some(), self.terminal.output
                assert time.monotonic() < deadline, "only %s answered" % seen
                answers = [pool.submit(self.ask) for _ in range(workers)]
                seen.update(answer.result() for answer in answers)
                seen.discard(None)

    def send_tasks(self, count):
        subprocess.run([self.python.path, "tasks.py", str(count)], check=True, cwd=self.folder,
                       env={**os.environ, **self.environment})
        for _ in range(profiling.TIMEOUT_S * 10):
            assert self.terminal.read_some(), self.terminal.output
            if len(self.burnt()) == count:
                return
        raise AssertionError(self.terminal.output)

    def profile(self):
        return json.loads(self.out.read_text(encoding="utf-8"))

    def left_behind(self):
        """Processes and temporary files."""
        files = [path.name for path in (self.folder / "tmp").iterdir() if path != self.out]
        return [*filter(endings.is_alive, self.pids), *sorted(files)]

    def run_dirs(self):
        return endings.Place(self.folder, None, self.out, self.folder / "tmp", {}).run_dirs()


def run_all(recipes, python, folder):
    """Each recipe bare (but for a daemon) and under the profiler, several at a time: {name: (bare, profiled)}."""
    python = profiling.with_packages(python, *PACKAGES)
    if python is None:
        pytest.skip("not all of %s can be had" % ", ".join(PACKAGES))
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        begun = {(name, is_profiled): pool.submit(Session(python, folder / ("%s-%s" % (name, is_profiled)),
                                                          is_profiled).run, recipe)
                 for name, recipe in recipes.items()
                 for is_profiled in ((True,) if recipe.is_daemon else (True, False))}
        done = {key: session.result() for key, session in begun.items()}
    return {name: (done.get((name, False)), done[name, True]) for name in recipes}


def check(recipe, bare, profiled):
    """Ended as ever, all processes listed, the marked work on its lines, nothing left."""
    assert profiled.status == (bare.status if bare else 0), profiled.output
    assert "the program has ended, " in profiled.output or not recipe.is_daemon
    assert profiled.output.count("profile saved to") == 1
    document = profiled.profile()
    # On Ctrl-C the reloaders of flask and django give their server a quarter of a second and then kill it.
    assert profiling.complaints(document, profiling.CUT_SHORT) == []
    listed = {process["pid"] for process in document["processes"] if process["profiled"]}
    workers = {pid for pid, _ in profiled.burnt()}
    assert len(workers) >= recipe.workers
    assert workers | profiled.pids <= listed
    check_marked_lines(document, profiled.burnt(), len(workers))
    assert profiled.left_behind() == (bare.left_behind() if bare else [])
    assert not profiled.run_dirs()


def check_marked_lines(document, burnt, process_count):
    """Each 10 ms of a thread's CPU time have one point, so of each piece of work that is cut out of these windows at most
    one is missing or too many at either end. Points that the kernel brings late, where threads share a core (a third are
    more than 4 ms late then, one in a hundred more than 14 ms: its tick finds another thread), are told at the next wait,
    with which the work begins and ends. In the end all lines of a process are brought into line with its clock: the last
    point may stand for up to a window that was not used, and up to two windows may have had none."""
    lines = [line for line in profiling.lines(document, "marked.py").values()
             if line["line"].strip().startswith(LOOP)]
    found_s = sum(line["cpu_python_s"] + line["cpu_native_s"] + line["cpu_system_s"] for line in lines)
    burnt_s = sum(cpu_s for _, cpu_s in burnt)
    ends_s = 2 * SAMPLE_S * len(burnt)
    own_s = SAMPLE_OWN_S * burnt_s / SAMPLE_S
    assert burnt_s - ends_s - SAMPLE_S * process_count - own_s <= found_s, (
        "%.3f s are found, %.3f s were burnt" % (found_s, burnt_s))
    assert found_s <= burnt_s + ends_s + 2 * SAMPLE_S * process_count, (
        "%.3f s are found, %.3f s were burnt" % (found_s, burnt_s))
