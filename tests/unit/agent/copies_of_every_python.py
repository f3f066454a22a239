# SPDX-License-Identifier: Apache-2.0
"""usage: copies_of_every_python.py MEMORY_RUN AGENT SCRIPT: what the script says that it mapped and
copied is what the agent records of it."""

import json
import os
import subprocess
import sys

import memory_running

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
MB = 1 << 20

# One thread's points are off by a window at each end of the stream, whatever the lines are: 16 MB of
# 936 with the largest window, and the interpreter's own copies are below 2 MB.
COPY_ERROR = 0.05


# What these map is not the program's: their blocks are counted, one by one.
ALLOCATORS = ("libjemalloc.so.2", "libmimalloc.so.2", "libtcmalloc_minimal.so.4")
LIBRARIES = "/usr/lib/x86_64-linux-gnu"


def measure(memory_run, agent, python, script, preload=None):
    answer = memory_running.run(memory_run, agent, 0, [python, script], preload)
    assert answer.status == 0, answer.said
    return json.loads(answer.said[0]), answer.numbers


def problems(truth, seen):
    if seen["mapped"] != truth["mapped"]:
        yield "mapped %d bytes, recorded %d" % (truth["mapped"], seen["mapped"])
    if seen["mapped_live"] != 0:
        yield "%d bytes mapped at the end, none is" % seen["mapped_live"]
    if abs(seen["copied"] - truth["copied"]) > COPY_ERROR * truth["copied"]:
        yield "copied %d bytes, recorded %d" % (truth["copied"], seen["copied"])
    if not 112 * MB <= seen["peak"] < 140 * MB:
        yield "the peak is %d bytes" % seen["peak"]
    if seen["file"] or seen["shared"] or seen["regions_untracked"] or seen["dropped_full"]:
        yield "out of place: %s" % seen


def cases(pythons):
    """Every interpreter, and the newest with every allocator there is."""
    for facts in pythons:
        yield facts["id"], facts["path"], None
    for name in ALLOCATORS:
        path = os.path.join(LIBRARIES, name)
        if os.path.exists(path):
            yield "%s with %s" % (pythons[-1]["id"], name), pythons[-1]["path"], path
        else:
            print("there is no", name)


def main():
    memory_run, agent, script = sys.argv[1:]
    finder = os.path.join(ROOT, "tools", "find-pythons")
    answer = json.loads(subprocess.check_output([finder, "--json"], text=True))
    failed = 0
    for name, python, preload in cases(answer["found"]):
        truth, seen = measure(memory_run, agent, python, script, preload)
        print(name, "copied %.4f of the truth" % (seen["copied"] / truth["copied"]))
        for problem in problems(truth, seen):
            print(name + ":", problem)
            failed += 1
    print("%d interpreters; missing: %s" % (len(answer["found"]), ", ".join(answer["missing"]) or "none"))
    return 0 if answer["found"] and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
