# SPDX-License-Identifier: Apache-2.0
"""Prints all that a program can see of its own process, as JSON."""
first_globals = sorted(globals())

import gc
import json
import os
import resource
import signal
import sys
import threading
import warnings

first_modules = sorted(sys.modules)


def status_field(name):
    with open("/proc/self/status") as file:
        return next(line.split(":", 1)[1].strip() for line in file if line.startswith(name + ":"))


def descriptors():
    """Of each open descriptor below 100, what it is; of those above, how many are inherited."""
    found = {}
    for name in os.listdir("/proc/self/fd"):
        try:
            target = os.readlink("/proc/self/fd/" + name)
        except OSError:
            continue  # the directory's own
        if int(name) < 100 or os.get_inheritable(int(name)):
            found[name] = target.split(":[")[0]
    return found


def handlers():
    return {str(number): str(signal.getsignal(number)).split(" at 0x")[0] for number in range(1, signal.NSIG)
            if number not in (32, 33)}


def depth():
    """How deep calls go before the limit, and how deep through C."""

    def plain(n):
        try:
            return plain(n + 1)
        except RecursionError:
            return n

    def through_c(n):
        try:
            return max([n], key=lambda _: n) and list(map(through_c, [n + 1]))[0]
        except RecursionError:
            return n

    return [plain(0), through_c(0)]


class Collected:
    pass


def garbage():
    before = gc.get_count()
    item = Collected()
    item.self = item
    del item
    return [len(before), gc.collect() >= 1, gc.isenabled(), gc.get_threshold(), len(gc.callbacks)]


def limits():
    names = [name for name in dir(resource) if name.startswith("RLIMIT_")]
    return {name: resource.getrlimit(getattr(resource, name)) for name in names}


def umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


seen = {
    "first globals": first_globals,
    "first modules": first_modules,
    "modules": sorted(sys.modules),
    "main": sorted(vars(sys.modules["__main__"])),
    "file": globals().get("__file__"),
    "argv": sys.argv,
    "orig_argv": getattr(sys, "orig_argv", [])[1:],
    "path": sys.path,
    "flags": str(sys.flags),
    "warnoptions": sys.warnoptions,
    "xoptions": sys._xoptions,
    "warning filters": str(warnings.filters),
    "executable": sys.executable,
    "prefix": [sys.prefix, sys.base_prefix, sys.exec_prefix],
    "builtins": sorted(dir(__builtins__)),
    "meta_path": [str(finder).split(" at 0x")[0] for finder in sys.meta_path],
    "path_hooks": [str(hook).split(" at 0x")[0] for hook in sys.path_hooks],
    "profile and trace": [str(sys.getprofile()), str(sys.gettrace())],
    "switch interval": sys.getswitchinterval(),
    "recursion limit": sys.getrecursionlimit(),
    "depth": depth(),
    "garbage": garbage(),
    "descriptors": descriptors(),
    "tasks": len(os.listdir("/proc/self/task")),
    "threads": [thread.name for thread in threading.enumerate()],
    "handlers": handlers(),
    "mask": sorted(map(int, signal.pthread_sigmask(signal.SIG_BLOCK, []))),
    "pending": sorted(map(int, signal.sigpending())),
    "blocked": status_field("SigBlk"),
    "ignored": status_field("SigIgn"),
    "caught": int(status_field("SigCgt"), 16),
    "interval timers": [signal.getitimer(which) for which in (0, 1, 2)],
    "alarm": signal.alarm(0),
    "environment": {name: value for name, value in os.environ.items()},
    "directory": os.getcwd(),
    "umask": umask(),
    "limits": limits(),
    "group and session": [os.getpgrp() == os.getpgid(os.getppid()), os.getsid(0) == os.getsid(os.getppid())],
    "priority": os.getpriority(os.PRIO_PROCESS, 0),
    "scheduler": [os.sched_getscheduler(0), sorted(os.sched_getaffinity(0))],
    "dumpable": os.access("/proc/self/mem", os.R_OK),
    "stdin": [os.isatty(0), sys.stdin.encoding, sys.stdin.errors],
    "stdout": [os.isatty(1), sys.stdout.encoding, sys.stdout.errors, sys.stdout.line_buffering],
}
print(json.dumps(seen))
