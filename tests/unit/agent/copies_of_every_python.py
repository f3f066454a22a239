# SPDX-License-Identifier: Apache-2.0
"""usage: copies_of_every_python.py MEMORY_SUMS AGENT SCRIPT: what the script says that it mapped and
copied is what the agent records of it."""

import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
MB = 1 << 20

# One thread's points are off by a window at each end of the stream, whatever the lines are: 16 MB of
# 936 with the largest window, and the interpreter's own copies are below 2 MB.
COPY_ERROR = 0.05


def measure(memory_sums, agent, python, script):
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        result = subprocess.run([memory_sums, agent, folder, python, script], capture_output=True, text=True, check=True)
    return json.loads(result.stdout), json.loads(result.stderr.splitlines()[-1])


def problems(truth, seen):
    if seen["mapped"] != truth["mapped"]:
        yield "mapped %d bytes, recorded %d" % (truth["mapped"], seen["mapped"])
    if seen["mapped_live"] != 0:
        yield "%d bytes mapped at the end, none is" % seen["mapped_live"]
    if abs(seen["copied"] - truth["copied"]) > COPY_ERROR * truth["copied"]:
        yield "copied %d bytes, recorded %d" % (truth["copied"], seen["copied"])
    if not 112 * MB <= seen["peak"] < 140 * MB:
        yield "the peak is %d bytes" % seen["peak"]
    if seen["file"] or seen["shared"] or seen["untracked"] or seen["dropped"]:
        yield "out of place: %s" % seen


def main():
    memory_sums, agent, script = sys.argv[1:]
    finder = os.path.join(ROOT, "tools", "find-pythons")
    answer = json.loads(subprocess.check_output([finder, "--json"], text=True))
    failed = 0
    for facts in answer["found"]:
        truth, seen = measure(memory_sums, agent, facts["path"], script)
        print(facts["id"], "copied %.4f of the truth" % (seen["copied"] / truth["copied"]))
        for problem in problems(truth, seen):
            print(facts["id"] + ":", problem)
            failed += 1
    print("%d interpreters; missing: %s" % (len(answer["found"]), ", ".join(answer["missing"]) or "none"))
    return 0 if answer["found"] and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
