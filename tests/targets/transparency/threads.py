# SPDX-License-Identifier: Apache-2.0
"""A thousand short threads, some that outlive the main one; writes what they left to a file."""
import json
import os
import sys
import threading
import time


def short():
    sum(range(2000))


def state():
    with open("/proc/self/timers") as file:
        timers = file.read().count("notify:")
    return {"timers": timers, "descriptors": len(os.listdir("/proc/self/fd")),
            "tasks": len(os.listdir("/proc/self/task")), "maps": open("/proc/self/maps").read().count("\n")}


# Up to 3.11 a thread that wants the GIL while the interpreter ends may find it freed and crash, bare as well (3 of 600
# runs of 3.10): there they sleep by then.
PAUSE_S = 0 if sys.version_info >= (3, 12) else 3600


def forever():
    while True:
        sum(range(1000))
        time.sleep(PAUSE_S)


before = state()
for _ in range(100):
    threads = [threading.Thread(target=short) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
end = time.monotonic() + 600  # for what hangs
while state()["tasks"] > 1 and time.monotonic() < end:
    time.sleep(0.01)
after = state()
if len(sys.argv) > 1:
    with open(sys.argv[1], "w") as file:
        json.dump({"before": before, "after": after, "run_dir": os.environ.get("SCALENE_RUN_DIR")}, file)
print(after["tasks"], after["descriptors"] - before["descriptors"], threading.active_count())

local = threading.local()
local.value = "kept"
print(local.value, threading.current_thread().name, threading.get_native_id() == os.getpid())
for _ in range(4):
    threading.Thread(target=forever, daemon=True).start()
time.sleep(0.1)
print("the end")
