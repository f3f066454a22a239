"""again.py OUT TIMES: profiles itself many times, and says what each time has left in the process."""

import json
import os
import sys
import threading
import time

from scalene import _live

OUT, TIMES = sys.argv[1], int(sys.argv[2])
is_done = threading.Event()


def burn(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        for _ in range(1000):
            pass


def beside():
    while not is_done.wait(0.001):
        burn(0.001)


def private_kb():
    with open("/proc/self/smaps_rollup") as file:
        return sum(int(line.split()[1]) for line in file if line.startswith("Private_Dirty:"))


def count_lines(path):
    with open(path) as file:
        return sum(1 for _ in file)


def state():
    return {
        "descriptors": len(os.listdir("/proc/self/fd")),
        "threads": len(os.listdir("/proc/self/task")),
        "maps": count_lines("/proc/self/maps"),
        "timers": count_lines("/proc/self/timers") if os.path.exists("/proc/self/timers") else 0,
        "children": open("/proc/self/task/%d/children" % os.getpid()).read(),
    }


workers = [threading.Thread(target=beside) for _ in range(2)]
for worker in workers:
    worker.start()
states, memory = [], []
for i in range(TIMES):
    _live.start(["--cpu-only"] if i % 5 == 4 else [], OUT)
    burn(0.005)
    kept = [bytes(50) for _ in range(1000)]
    assert _live.stop() == OUT
    states.append(state())
    memory.append(private_kb())
is_done.set()
for worker in workers:
    worker.join()
print(json.dumps({"states": states, "private_kb": memory}))
