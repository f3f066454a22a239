# SPDX-License-Identifier: Apache-2.0
"""Machines with accelerators that are not there: the stub of NVIDIA's library, and folders in the place of the
kernel's. A program says what it does (targets/accelerators/device.py); what is read of the kernel is written when it is
read, as the kernel does. No figure depends on how fast the machine is: programs wait for readings, not for the clock."""

import os
import pathlib
import shutil
import threading
import time

import profiling
from profiling import lines

DEVICE = profiling.TARGETS / "accelerators" / "device.py"
STUBS = profiling.BUILD / "tests" / "targets" / "accelerators"
STUB = STUBS / "libnvidia-ml.so.1"
OLDEST = STUBS / "libnvidia-ml-oldest.so.1"


class Machine:
    """A folder that stands for the system's /proc, /sys, libraries and commands."""

    def __init__(self, folder):
        self.root = pathlib.Path(folder)
        self.package = self.root / "site-packages"
        self.package.mkdir(parents=True)
        (self.root / "proc").mkdir()
        (self.root / "served").touch()
        shutil.copy(DEVICE, self.package)

    @property
    def environment(self):
        return {**os.environ, "SCALENE_ACCELERATOR_ROOT": str(self.root), "PYTHONPATH": str(self.package)}

    def write(self, name, text):
        """A whole file at once: readers never see half of it."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        new = path.with_name(path.name + ".new")
        new.write_text(text)
        new.rename(path)

    def add_byte(self, name):
        with open(self.root / name, "ab") as file:
            file.write(b".")

    def nvidia(self, *lines, library=STUB):
        (self.root / "lib").mkdir(exist_ok=True)
        shutil.copy(library, self.root / "lib" / STUB.name)
        self.write("nvml", "".join(line + "\n" for line in (*lines, "devices 1")))  # of two the first counts

    def pid(self):
        path = self.root / "pid"
        return int(path.read_text()) if path.exists() else None

    def numbers(self, name, word=None):
        """The last two numbers of each line of a file, or of those that begin with a word."""
        try:
            lines = (self.root / name).read_text().splitlines()
        except OSError:
            return []
        return [tuple(map(float, line.split()[-2:])) for line in lines if not word or line.startswith(word)]

    def steps(self):
        """The program's curve so far: (seconds, percent) in order."""
        return self.numbers("nvml", "curve")


def worked_s(steps, until):
    """How long a device with this curve has worked by then."""
    total = 0
    for (start, percent), (end, _) in zip(steps, steps[1:] + [(until, 0)]):
        total += max(0, min(end, until) - start) * percent / 100
    return total


class Served(threading.Thread):
    """A file of the kernel's: what it says is made at the moment at which it is read. `name` has a %d for the
    process; `text(machine, pid)` makes it. The first of several counts as a reading."""

    def __init__(self, machine, name, text, is_counted):
        super().__init__(daemon=True)
        self.machine, self.name, self.text, self.is_counted = machine, name, text, is_counted
        self.is_over = threading.Event()
        self.path = None

    def renew(self):
        new = self.path.with_name(self.path.name + ".new")
        os.mkfifo(new)
        new.rename(self.path)

    def run(self):
        while not self.machine.pid():
            if self.is_over.wait(0.002):
                return
        pid = self.machine.pid()
        self.path = self.machine.root / (self.name % pid if "%" in self.name else self.name)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.renew()
        while not self.is_over.is_set():
            with open(self.path, "w") as file:  # as soon as somebody reads
                if self.is_over.is_set():
                    return
                self.renew()  # whoever comes next gets another answer
                file.write(self.text(self.machine, pid))
            if self.is_counted:
                self.machine.add_byte("reads")
                self.machine.add_byte("broken")  # to whoever waits for no more than this

    def end(self):
        self.is_over.set()
        if self.path and self.path.exists():
            os.close(os.open(self.path, os.O_RDONLY | os.O_NONBLOCK))
        self.join(10)


# What is measured of a level is a line that is read twice, between lines on which it stays as it is while it is read
# twice: so no reading of the line has anything of another level. A driver that tells whole percents is off by half a
# point, counters of work done by 2 parts in 100 (engine_time.h): 1.6 points of 80.
HEAD = """import os
import device
device.patience_s = %(patience)s; device.load(0); %(more)s
device.open_device(%(names)s); %(first)s
"""
LEVEL = """device.load(%(level)s)
device.settle()
device.%(do)s()
device.settle()
"""
BROKEN = """device.load(80)
device.until_broken()
device.rest()
"""
TAIL = "device.settle(%d)\n"  # of several readings in a row at least one is sure, however slow the machine
LEVELS = (80, 20, 50, 0)
POINTS = 3
NAMES = ("/dev/nvidia0", "/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/null")
MB = 1 << 20
RUN_LIMIT_S = 600


def line_of(index):
    return 7 + 4 * index


def known_as(pid="os.getpid()", mb=300, percent=90):
    """A line of the program's that makes the driver know it."""
    return 'device.add("nvml", "process 0 %%d %d %d\\n" %% %s)' % (mb * MB, percent, pid)


def text_of(names, more, do, levels, patience, is_served, is_broken, first):
    head, tail = (1, 3) if is_served else (4, 0)
    head = HEAD % {"names": ", ".join(map(repr, names)), "more": more, "patience": patience,
                   "first": first if is_broken else "%s; device.settle(%d)" % (first, head)}
    levels = [LEVEL % {"level": level, "do": do[i % len(do)]} for i, level in enumerate(levels)]
    return head + (BROKEN if is_broken else "".join(levels) + TAIL % tail)


def run(python, folder, prepare, *names, more="pass", do=("sleep",), serve=None, levels=LEVELS, patience=60,
        is_broken=False, first="pass"):
    """One run on a machine of its own. `first` is done once the device is open. What is broken has no levels to tell apart: there is a line after it."""
    machine = Machine(folder)
    prepare(machine)
    machine.write("served", " ".join(serve or {}))
    program = machine.root / "program.py"
    program.write_text(text_of(names, more, do, levels, patience, serve, is_broken, first))
    servers = [Served(machine, name, text, i == 0) for i, (name, text) in enumerate((serve or {}).items())]
    for server in servers:
        server.start()
    start = time.monotonic()
    try:
        done = profiling.profile(python, program, out=machine.root / "profile.json", cwd=machine.root,
                                 env=machine.environment, timeout=RUN_LIMIT_S)
    finally:
        for server in servers:
            server.end()
    assert done.status == 0, done.stderr
    done.seconds, done.machine, done.levels = time.monotonic() - start, machine, (80,) if is_broken else levels
    return done


def percents(document, levels=LEVELS):
    found = lines(document, "program.py")
    return [found[line_of(i)]["n_gpu_percent"] if line_of(i) in found else 0 for i in range(len(levels))]


def check_curve(done, factor=1):
    got = percents(done.profile, done.levels)
    assert all(abs(one - factor * level) <= POINTS for one, level in zip(got, done.levels)), got


def check_work(done):
    """The same for counters of work done. A machine that is so slow that a reading would be unsure has it left out,
    and the next one may reach over two levels: so each is compared with the curve's own mean over its time."""
    (device,) = done.profile["gpu_devices"]
    start, steps = done.profile["start_time_perf"], done.machine.steps()
    ends = [start + sample[0] / 1e9 for sample in device["samples"]]
    ends.insert(0, ends[-1] - device["seen_s"])  # each begins where the one before ended, and so does the first
    for got, (begin, end) in zip(percents(done.profile, done.levels), done.machine.numbers("marks")):
        seen = worked = 0
        for first, last in zip(ends, ends[1:]):
            overlap = max(0, min(end, last) - max(begin, first))
            seen += overlap
            worked += overlap * (worked_s(steps, last) - worked_s(steps, first)) / (last - first)
        assert seen > 0, (begin, end, ends)
        assert abs(got - 100 * worked / seen) <= POINTS, (got, 100 * worked / seen)
