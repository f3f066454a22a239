"""ending.py OUT HOW: is profiled, and ends without saying so."""

import os
import signal
import sys
import time

from scalene import _live

OUT, HOW = sys.argv[1:]


def burn(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        for _ in range(3000):
            pass


def words(pid):
    try:
        with open("/proc/%s/cmdline" % pid, "rb") as file:
            return file.read().split(b"\0")
    except OSError:  # it has just ended
        return []


def find_collector():
    pids = {name for name in os.listdir("/proc") if name.isdigit()} - {str(os.getpid())}
    return int(next(pid for pid in pids if OUT.encode() in words(pid)))


_live.start([], OUT)
burn(0.3)
print("burnt", flush=True)
if HOW == "_exit":
    os._exit(3)
elif HOW == "kill":
    os.kill(os.getpid(), signal.SIGKILL)
elif HOW == "exception":
    raise SystemExit("a word")
elif HOW == "exec":
    os.execv("/bin/sh", ["sh", "-c", "sleep 2.5; exit 4"])
elif HOW == "collector":
    os.kill(find_collector(), signal.SIGKILL)
    try:
        _live.stop()
    except _live.LiveError as error:
        print(error, flush=True)
    _live.start([], OUT)
    burn(0.3)
    _live.stop()
