"""unnoticed.py OUT [subreaper]: what a program can see of itself, before, while and after it is profiled."""

import ctypes
import json
import os
import signal
import sys
import threading

from scalene import _live

OUT = sys.argv[1]
PR_SET_CHILD_SUBREAPER = 36
children_ended = []


def children():
    try:
        return list(os.waitpid(-1, os.WNOHANG))
    except ChildProcessError:
        return None


def descriptors():
    found = {}
    for name in os.listdir("/proc/self/fd"):
        try:
            found[name] = os.readlink("/proc/self/fd/" + name)
        except FileNotFoundError:
            pass  # the one that the folder was read by
    return found


def seen():
    status = dict(line.split(":", 1) for line in open("/proc/self/status"))
    return {
        "children": children(),
        "descriptors": descriptors(),
        "environment": dict(os.environ),
        "directory": os.getcwd(),
        "threads": threading.active_count(),
        "tasks": len(os.listdir("/proc/self/task")),
        "mask": sorted(signal.pthread_sigmask(signal.SIG_BLOCK, [])),
        "handlers": [str(signal.getsignal(number)) for number in range(1, 65) if number not in (32, 33)],
        "blocked": status["SigBlk"],
        "ignored": status["SigIgn"],
        "group": os.getpgrp(),
        "limits": open("/proc/self/limits").read(),
        "errno": ctypes.get_errno(),
    }


if "subreaper" in sys.argv:
    assert ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1) == 0
signal.signal(signal.SIGCHLD, lambda *_: children_ended.append(1))
before = seen()
_live.start([], OUT)
while_on = seen()
path = _live.stop()
after = seen()
print(json.dumps({"before": before, "while_on": while_on, "after": after, "signals": len(children_ended)}))
