# SPDX-License-Identifier: Apache-2.0
"""usage: memory_torture.py MEMORY_RUN AGENT PROGRAM LIBRARY FOLDER: torture.c stays whole and is
counted right, in a process that is not Python and in one that is, with each allocator found."""

import glob
import os
import sys

import memory_running

MEAN = 16384
THREADS, ROUNDS = 8, 100000
CLASSES = 34
ALLOCATORS = ["libjemalloc.so.2", "libmimalloc.so.2*", "libtcmalloc_minimal.so.4"]


def allocators():
    yield None
    for name in ALLOCATORS:
        found = sorted(glob.glob("/usr/lib/*/" + name))
        if found:
            yield found[0]
        else:
            print("not tested, as it is not installed:", name)


def check_inert(checks, agent, program, preload):
    command = [program, "4", "50000"]
    both = agent if not preload else agent + ":" + preload
    said, status = memory_running.run_bare(command, both)
    checks.expect(status == 0 and said == ["0 failures"], "not Python", preload, status, said[:5])


def check_followed(checks, answer, preload):
    words = [line.split() for line in answer.said if line.startswith("failures")]
    checks.expect(words and words[0][1] == "0", preload, answer.said[:5], "status", answer.status)
    if not words:
        return
    checks.nothing_lost(answer, preload)
    threads = [answer.functions.get(name, {}) for name in ("(native)", "(none)")]
    live = sum(numbers.get("live", 0) for numbers in threads)
    checks.expect(live == 0, preload, "everything was freed, and yet", live, "bytes live")
    checks.expect(answer.numbers["with_stack"] > 0, preload, "no native stack was taken")
    if preload is None:  # the program counts as glibc does
        # Each thread and size is off by less than two stretches; the interpreter's own is some MB.
        bound = (THREADS + 1) * CLASSES * 2 * MEAN + 4e6
        truth = int(words[0][3])
        added = answer.numbers["added"]
        checks.expect(abs(added - truth) < bound, "allocated", truth, "recorded", added)
    checks.expect(answer.numbers["footprint"] < 6e6, preload, "footprint at the end", answer.numbers["footprint"])


def main():
    memory_run, agent, program, library, folder = map(os.path.abspath, sys.argv[1:])
    checks = memory_running.Checks()
    for preload in allocators():
        check_inert(checks, agent, program, preload)
        command = [sys.executable, folder + "/torture.py", library, str(THREADS), str(ROUNDS)]
        check_followed(checks, memory_running.run(memory_run, agent, MEAN, command, preload), preload)
    return 1 if checks.failed else 0


if __name__ == "__main__":
    sys.exit(main())
