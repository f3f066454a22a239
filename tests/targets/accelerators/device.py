# SPDX-License-Identifier: Apache-2.0
"""A device that a program of the tests opens and loads, below the folder that stands for the system.

Nothing here is a GPU: the program says what it would do, and stub and servers make the files of it. They add a byte
to the file reads each time that they are read, and the program goes by that, not by the clock."""

import os
import pathlib
import time

ROOT = pathlib.Path(os.environ["SCALENE_ACCELERATOR_ROOT"])
READ = 2  # a reading that began before and one that ended after the program has come here
RESTS = 12
SAMPLED_S = 0.05  # of CPU time, in each 10 ms of which a sample falls: some are whole, wherever the first begins
patience_s = 60


def add(name, text):
    with open(ROOT / name, "a") as file:
        file.write(text)


def open_device(*names):
    """As if this process had these device files open, and the driver knew it."""
    folder = ROOT / "proc" / str(os.getpid()) / "fd"
    folder.mkdir(parents=True)
    (ROOT / "proc" / str(os.getpid()) / "fdinfo").mkdir()
    (ROOT / "pid.new").write_text(str(os.getpid()))
    (ROOT / "pid.new").rename(ROOT / "pid")
    for name in (ROOT / "served").read_text().split():
        while not os.path.exists(str(ROOT / name) % os.getpid() if "%" in name else ROOT / name):
            time.sleep(0.001)
    for number, name in enumerate(names, 3):
        (folder / str(number)).symlink_to(name)


def read_count():
    try:
        return os.stat(ROOT / "reads").st_size
    except FileNotFoundError:
        return 0


def until_read(pause, count):
    """Until the device has been read so often. One that is not read any more is waited for once."""
    global patience_s
    until, wanted = time.monotonic() + patience_s, read_count() + count
    while read_count() < wanted:
        if time.monotonic() > until:
            patience_s = min(patience_s, 0.05)
            return
        pause()


def until_size(name, size):
    """Until so many bytes are in a file of the stub's: that many calls."""
    while not (ROOT / name).exists() or os.stat(ROOT / name).st_size < size:
        time.sleep(0.005)


def settle(count=READ):
    until_read(lambda: time.sleep(0.005), count)


def hangs():
    return (ROOT / "hanging").exists()


def until_broken():
    """Until the driver has answered with an error or hangs, or the monitor has done what it is to do wrong."""
    until = time.monotonic() + patience_s
    while time.monotonic() < until and not (ROOT / "broken").exists() and not hangs():
        time.sleep(0.01)


def pauses():
    """Of each process beside this one: how often it has gone to wait."""
    found = {}
    for status in pathlib.Path("/proc").glob("[0-9]*/status"):
        try:
            fields = dict(line.split(":\t", 1) for line in status.read_text().splitlines() if ":\t" in line)
        except OSError:
            continue
        if int(fields["PPid"]) == os.getppid():
            found[status.parent.name] = int(fields["voluntary_ctxt_switches"])
    return found


def rest():
    """Until the one that reads devices has gone to wait so often that it has said all that it has to say of that
    answer: it wakes up ten times a second. No other process beside this one does so."""
    until, before = time.monotonic() + patience_s, pauses()
    while time.monotonic() < until and not hangs():
        if any(count >= before.get(pid, count) + RESTS for pid, count in pauses().items() if pid != str(os.getpid())):
            return
        time.sleep(0.05)


def load(percent, device=0):
    add("nvml", "curve %d %.6f %g\n" % (device, time.monotonic(), percent))


def mark(do):
    begin = time.monotonic()
    do()
    add("marks", "%.6f %.6f\n" % (begin, time.monotonic()))


def compute_until_read():
    """And until it was surely seen: a crowded machine may let it compute for less than a sample meanwhile."""
    until = time.thread_time() + SAMPLED_S
    until_read(compute_some, READ)
    while time.thread_time() < until:
        compute_some()


def compute_some():
    return [i * i for i in range(20000)]


def compute():
    """On the caller's line, while it is read: this is a library's."""
    mark(compute_until_read)


def sleep():
    mark(settle)
