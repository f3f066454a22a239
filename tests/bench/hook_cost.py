#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""usage: hook_cost.py BUILD_FOLDER [PYTHON]: ns per call of short calls, bare and profiled."""

import ctypes
import json
import os
import subprocess
import sys
import tempfile

NAMES = ["read 1 byte", "mutex, free", "semaphore, free", "poll, no time", "open and close",
         "fcntl, no lock"]
ROUNDS = 300
CALLS_PER_ROUND = 200
BAR_NS = 200


def measure(library):
    cost = ctypes.CDLL(library).hook_cost_ns
    cost.restype = ctypes.c_double
    print(json.dumps([cost(i, ROUNDS, CALLS_PER_ROUND) for i in range(len(NAMES))]))


def run(command):
    output = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    return json.loads(output.stdout.splitlines()[0])


def least(results):
    return [min(costs) for costs in zip(*results)]


def main():
    build = os.path.abspath(sys.argv[1])
    python = sys.argv[2] if len(sys.argv) > 2 else sys.executable
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "hook_cost.c")
    with tempfile.TemporaryDirectory() as scratch:
        library = os.path.join(scratch, "hook_cost.so")
        subprocess.check_call([os.environ.get("CC", "cc"), "-O2", "-D_GNU_SOURCE", "-shared", "-fPIC", source,
                               "-o", library])
        script = [os.path.abspath(__file__), "--measure", library]
        profiled = [os.path.join(build, "scalene"), "run", "--python", python, "-o",
                    os.path.join(scratch, "profile.json")]
        pairs = [(run([python, *script]), run([*profiled, *script])) for _ in range(3)]
    bare, hooked = (least(column) for column in zip(*pairs))
    print("%-16s %8s %8s %8s" % ("ns per call", "bare", "profiled", "added"))
    for name, before, after in zip(NAMES, bare, hooked):
        mark = "" if after - before <= BAR_NS else "  above %d" % BAR_NS
        print("%-16s %8.0f %8.0f %8.0f%s" % (name, before, after, after - before, mark))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        measure(sys.argv[2])
    else:
        main()
