# SPDX-License-Identifier: Apache-2.0
"""usage: memory_limits.py MEMORY_RUN AGENT FOLDER: more live blocks than the table holds, and allocators that are
thrown out: what is recorded stays true."""

import math
import os
import sys

import memory_running

# Some 80,000 blocks are live at this mean, more than three times what is followed. Thinning doubles the weight at
# least until they fit, and goes by twice the weight in the middle: 16 means are more than it comes to.
MEAN, HEAVIEST = 1024, 1024 * 16


def check_thinning(checks, memory_run, agent, folder):
    answer = memory_running.run(memory_run, agent, MEAN, [sys.executable, folder + "/many.py"])
    checks.nothing_lost(answer, "many")
    words = answer.said[0].split()
    some, others = int(words[1]), int(words[3])
    live = {name: answer.functions[name]["live"] for name in ("hold_some", "hold_all")}
    # Half was freed at random, the other half is what is estimated: sd = sqrt(weight x live x 1/2).
    bound = 6 * math.sqrt(HEAVIEST * some / 2)
    checks.expect(abs(live["hold_some"] - some) < bound, "hold_some", live["hold_some"], "not", some, "+-", bound)
    # Nothing was freed: but for the last block of each site, all of it is there, and the list.
    checks.expect(abs(live["hold_all"] - others - 800000) < 10 * HEAVIEST, "hold_all", live["hold_all"], others)
    for name, count, size in (("hold_some", 600000, 80), ("hold_all", 100000, 336)):
        added = answer.functions[name]["added"] - count * 8
        checks.expect(count * size - 8 * MEAN < added < count * (size + 64) + 8 * MEAN, name, "added", added)


def check_thrown_out(checks, memory_run, agent, folder):
    answer = memory_running.run(memory_run, agent, 16384, [sys.executable, folder + "/stop_tracing.py"],
                                PYTHONTRACEMALLOC="1")
    checks.expect(answer.said == ["still here"] and answer.status == 0, answer.said, answer.status)
    checks.expect(answer.numbers["allocators_replaced"] == 1, "found thrown out", answer.numbers)
    checks.expect(answer.numbers["blocks_lost"] > 0 and answer.numbers["unknown"] == 0, answer.numbers)
    # At least the last two lists are seen: 80 bytes each, and 8 in the list.
    live = sum(numbers["live"] for numbers in answer.functions.values())
    checks.expect(200000 * 88 * 2 < live < 200000 * 90 * 3 + 3e6, "live", live)


def main():
    memory_run, agent, folder = map(os.path.abspath, sys.argv[1:])
    checks = memory_running.Checks()
    check_thinning(checks, memory_run, agent, folder)
    check_thrown_out(checks, memory_run, agent, folder)
    return 1 if checks.failed else 0


if __name__ == "__main__":
    sys.exit(main())
