# SPDX-License-Identifier: Apache-2.0
"""What a target knows of itself: its own clocks, read around what it does, told as one line of JSON."""

import contextlib
import json
import os
import resource
import sys
import threading
import time

cpu = time.thread_time
wall = time.perf_counter


def last_line(code):
    """Of a function, those inside it included."""
    lines = [line for _, line in findlinestarts(code) if line]
    inner = [last_line(constant) for constant in code.co_consts if hasattr(constant, "co_code")]
    return max(lines + inner)


def findlinestarts(code):
    import dis  # not before it is needed: the program's start is none of what is measured

    return dis.findlinestarts(code)


def place(function):
    return {"first": function.__code__.co_firstlineno, "last": last_line(function.__code__)}


def usage(whose=resource.RUSAGE_THREAD):
    """User and system seconds of the calling thread, or of its process."""
    own = resource.getrusage(whose)
    return own.ru_utime, own.ru_stime


def run_delay():
    """Seconds in which the calling thread wanted a core and had none."""
    with open("/proc/thread-self/schedstat") as file:
        return int(file.read().split()[1]) / 1e9


def run_delays():
    """The same of each thread, by its number: one that has the GIL keeps the others from going on."""
    delays = {}
    for thread in os.listdir("/proc/self/task"):
        with contextlib.suppress(OSError), open("/proc/self/task/%s/schedstat" % thread) as file:  # it may end
            delays[thread] = int(file.read().split()[1]) / 1e9
    return delays


def delayed_since(delays):
    return sum(now - delays.get(thread, 0.0) for thread, now in run_delays().items())


def disk_reads():
    """How often the calling thread stood still for a page that was not in memory, and for a file's that was not."""
    own = resource.getrusage(resource.RUSAGE_THREAD)
    return own.ru_majflt, own.ru_inblock


def stolen(core=None):
    """Seconds that a virtual machine's host took away, of one core or of all together."""
    name = "cpu" if core is None else "cpu%d" % core
    with open("/proc/stat") as file:
        row = next(line.split() for line in file if line.split()[0] == name)
    return int(row[8]) / os.sysconf("SC_CLK_TCK")


def since(delay, start_cpu, start_wall):
    """What has passed for the calling thread since these readings."""
    passed, used = wall() - start_wall, cpu() - start_cpu
    return {"cpu_s": used, "wall_s": passed, "ready_s": run_delay() - delay}


def thread_name():
    """What a profile may call the calling thread: by its number, or by the name that Python knows."""
    thread = threading.current_thread()
    return ["Thread %d" % threading.get_native_id(), thread.name]


def resident():
    """Bytes of memory of this process that are there and belong to no file."""
    with open("/proc/self/status") as status:
        fields = dict(line.split(":", 1) for line in status)
    return 1024 * sum(int(fields[name].split()[0]) for name in ("RssAnon", "RssShmem"))


def repeat(function, seconds):
    """Calls it for so much CPU time, and tells what that took."""
    start_cpu, start_wall, start = cpu(), wall(), usage()
    end = start_cpu + seconds
    while cpu() < end:
        function()
    user, system = (after - before for after, before in zip(usage(), start))
    return {"cpu_s": cpu() - start_cpu, "wall_s": wall() - start_wall, "user_s": user, "system_s": system,
            **place(function)}


def rounds_of(seconds):
    """How many rounds of a small loop take so long: by the fastest of many, undisturbed."""
    best = 1.0
    for _ in range(50):
        start = cpu()
        for i in range(5_000): i * i  # noqa: E701
        best = min(best, cpu() - start)
    return max(1, int(seconds / (best / 5_000)))


def tell(**what):
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


def option(number, default):
    return type(default)(sys.argv[number]) if len(sys.argv) > number else default


def pin(core):
    os.sched_setaffinity(0, {core})
