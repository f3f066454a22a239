# SPDX-License-Identifier: Apache-2.0
"""Truth of sums: all that the profile accounts for, against what the kernel charged the whole tree.

The program reads getrusage last; what the interpreter does to end itself comes after. Its children do so too. The
kernel splits a process's time into user and system time at ticks, and its threads' by another rule: where several share
a core the two are one part in a hundred of all apart. The profile keeps to the process's. What children used after they
had told is only known in all, from the account of those waited for.
"""

import truth

BAR = 1.0  # percent of the tree's CPU time
ENDING_S = 0.015


def measure(python, scale=1.0):
    observation = truth.observe(python, "sums.py", 0.6 * scale)
    told, totals = observation.truth, observation.profile["totals"]
    all_s = told["user_s"] + told["system_s"] + told["ending_s"]
    user = totals["cpu_python_s"] + totals["cpu_native_s"]
    bar = 10 * BAR * all_s
    endings_s = ENDING_S + told["ending_s"]
    return [
        truth.Figure("user time of the tree", 1000 * user, 1000 * told["user_s"], bar, 1000 * endings_s, "ms"),
        truth.Figure("system time of the tree", 1000 * totals["cpu_system_s"], 1000 * told["system_s"], bar,
                     1000 * endings_s, "ms"),
        truth.Figure("CPU time of the tree", 1000 * observation.cpu_s, 1000 * all_s, bar, 1000 * ENDING_S, "ms"),
    ]
