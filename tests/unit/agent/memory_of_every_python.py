# SPDX-License-Identifier: Apache-2.0
"""usage: memory_of_every_python.py MEMORY_RUN AGENT FIND_PYTHONS OBJECTS: the program runs as bare and
what is known of its memory is recorded, on every interpreter and with each of its allocators."""

import json
import os
import subprocess
import sys

import memory_running

MEAN = 16384
COUNT = 100000
# Each with the bytes that an object of 73 takes at least and at most, by how it is allocated.
MODES = {
    "": (80, 80),
    "PYTHONMALLOC=debug": (80, 80),
    "PYTHONDEVMODE=1": (80, 80),
    "PYTHONTRACEMALLOC=3": (80, 80),
    "PYTHONMALLOC=malloc": (96, 96),
    "PYTHONMALLOC=malloc_debug": (96, 144),
}


def between(checks, what, value, least, most, error):
    checks.expect(least - error <= value <= most + error, what, "is", value, "not in", least, "to", most, "+-", error)


def check_known(checks, what, answer, sizes, traced):
    """Each function allocates from few size classes: it is off by less than two stretches of each."""
    found = answer.functions
    small, large, churn, grown = (found.get(name, {"added": 0, "live": 0, "python": 0})
                                  for name in ("hold_small", "hold_large", "churn", "grow"))
    error = 8 * MEAN
    own = 160 * COUNT if traced else 0  # what the tracer itself holds for each, at most
    # The list; its numbers above 256 are made and freed one by one (32 bytes), or not at all (3.15).
    between(checks, what + " hold_small", small["added"], COUNT * (sizes[0] + 8), COUNT * (sizes[1] + 8 + 80) + 3 * own,
            error)
    between(checks, what + " hold_small live", small["live"], COUNT * (sizes[0] + 8), COUNT * (sizes[1] + 8) + own,
            error + 0.01 * own)
    if not traced:
        checks.expect(small["python"] == small["added"], what, "hold_small is Python's", small)
        between(checks, what + " hold_large", large["added"], 20e6, 20.2e6, error)
        between(checks, what + " churn", churn["added"], COUNT * 300, COUNT * 420, error)
        # The growth alone; the texts of 1,000 letters are made at each step, or once.
        between(checks, what + " grow", grown["added"], 8e6, 9.2e6 + 8000 * 1100, error)
    between(checks, what + " hold_large live", large["live"], 0, 0, own / 100)
    between(checks, what + " grow live", grown["live"], 0, 0, own / 100)


def check(checks, run, python, script, mode):
    name, _, value = mode.partition("=")
    variables = {name: value} if name else {}
    # A warning of the interpreter's that forks may hang depends on how fast threads end.
    variables["PYTHONWARNINGS"] = "ignore"
    what = "%s %s" % (python["id"], mode)
    bare, status = memory_running.run_bare([python["path"], script], **variables)
    answer = run([python["path"], script], **variables)
    checks.expect((bare, status) == (answer.said, answer.status), what, "bare", bare, status, "followed", answer.said,
                  answer.status)
    checks.nothing_lost(answer, what)
    check_known(checks, what, answer, MODES[mode], "TRACE" in mode)


def main():
    memory_run, agent, find_pythons, script = map(os.path.abspath, sys.argv[1:])
    checks = memory_running.Checks()
    pythons = json.loads(subprocess.check_output([find_pythons, "--json"]))["found"]

    def run(command, **environment):
        return memory_running.run(memory_run, agent, MEAN, command, **environment)

    for python in pythons:
        for mode in MODES:
            check(checks, run, python, script, mode)
        print("tried", python["id"], flush=True)
    return 1 if checks.failed or not pythons else 0


if __name__ == "__main__":
    sys.exit(main())
