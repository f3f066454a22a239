# SPDX-License-Identifier: Apache-2.0
"""usage: memory_moments.py MEMORY_RUN AGENT LIBRARY FOLDER: allocation at odd moments works, is counted, and
leaves nothing behind; the library is also preloaded, so that it allocates before the agent begins."""

import os
import sys

import memory_running

MEAN = 16384
THREADS = 4000
WANTED = ["early 0", "in_handler 0", "interrupted 0", "in_vfork_child 0", "by_loader 0", "at_thread_end 0"]


def main():
    memory_run, agent, library, folder = map(os.path.abspath, sys.argv[1:])
    checks = memory_running.Checks()
    command = [sys.executable, folder + "/moments.py", library, str(THREADS)]
    bare, status = memory_running.run_bare(command, library)
    checks.expect((bare, status) == (WANTED, 0), "bare", bare, status)
    few = [*command[:-1], "1"]
    ends = {}
    for words in (few, command):
        answer = memory_running.run(memory_run, agent, MEAN, words, preload=library)
        checks.expect((answer.said, answer.status) == (WANTED, 0), "followed", answer.said, answer.status)
        checks.nothing_lost(answer, "moments")
        ends[words[-1]] = answer.numbers["footprint"]
    # A thread that left its last 5,000 bytes uncounted would make this 20 MB; a loader's 1,000 libraries, 1 MB.
    drift = abs(ends[str(THREADS)] - ends["1"])
    checks.expect(drift < 300000, "the footprint at the end is off by", drift, ends)
    return 1 if checks.failed else 0


if __name__ == "__main__":
    sys.exit(main())
