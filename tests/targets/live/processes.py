"""processes.py OUT: forks and starts programs while it is profiled."""

import json
import os
import subprocess
import sys
import time

from scalene import _live

OUT = sys.argv[1]
children = []


def in_child(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        for _ in range(3000):
            pass


def fork(seconds):
    pid = os.fork()
    if pid == 0:
        _live.start([], OUT + ".never")  # it is a part of its parent's run
        in_child(seconds)
        assert _live.stop() is None
        os._exit(7)
    children.append(pid)
    return os.WEXITSTATUS(os.waitpid(pid, 0)[1])


def fork_for_later():
    """A child of the first run, which begins one of its own when that is over."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(writer)
        os.read(reader, 1)
        _live.start([], OUT + ".child")
        in_child(0.2)
        os._exit(_live.stop() != OUT + ".json")
    os.close(reader)
    return pid, writer


_live.start([], OUT)
later, go = fork_for_later()
statuses = [fork(0.3), fork(0.2)]
done = subprocess.run([sys.executable, "-c", "print(6 * 7)"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
spawned = os.posix_spawn("/bin/sh", ["sh", "-c", "exit 3"], os.environ)
statuses.append(os.WEXITSTATUS(os.waitpid(spawned, 0)[1]))
shell = os.system("exit 5")
_live.stop()
os.close(go)
statuses.append(os.WEXITSTATUS(os.waitpid(later, 0)[1]))
print(json.dumps({"children": children, "statuses": statuses, "output": done.stdout.decode(), "shell": os.WEXITSTATUS(shell)}))
