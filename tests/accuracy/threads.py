# SPDX-License-Identifier: Apache-2.0
"""Truth of threads: what each used by its own clock, and how long contending threads waited for the GIL.

A contending thread computes, waits for the GIL, or stands ready without a core. The kernel counts
the last (schedstat), but a thread that is ready again after waiting is still in the waiting call: the
truth lies between the wall time less CPU and ready time, and the wall time less CPU alone. What the
host of a virtual machine takes from the one that has the GIL is in nobody's account, and told in whole units.
"""

import truth

BAR_SHARE = 2.0  # points
BAR_WAIT = 2.0  # percent
STOLEN_UNIT_S = 1 / truth.profiling.CLOCK_HZ


def find(observation, names):
    """Threads of the profile with one of these names."""
    return [thread for thread in observation.profile["threads"] if thread["name"] in names]


def cpu_of(observation, names):
    return sum(thread["cpu_%s_s" % kind] for thread in find(observation, names) for kind in truth.KINDS)


def share_figures(observation):
    told = observation.truth["shares"]
    true_s = sum(row["cpu_s"] for row in told)
    found_s = sum(cpu_of(observation, row["names"]) for row in told) or 1
    for row in sorted(told, key=lambda row: row["name"]):
        yield truth.Figure("CPU of thread '%s'" % row["name"], 100 * cpu_of(observation, row["names"]) / found_s,
                           100 * row["cpu_s"] / true_s, BAR_SHARE, 0)


def gil_figure(observation, fight, name):
    rows = fight["threads"]
    most = sum(row["wall_s"] - row["cpu_s"] for row in rows)
    least = sum(max(0.0, row["wall_s"] - row["cpu_s"] - row["ready_s"]) for row in rows)
    measured = observation.waits_of_lines(fight["first"], fight["last"]).get("gil", 0)
    middle = (most + least) / 2
    unknown = (most - least) / 2 + fight["stolen_s"] + STOLEN_UNIT_S
    return truth.Figure(name, 1000 * measured, 1000 * middle, 10 * BAR_WAIT * middle, 1000 * unknown, unit="ms")


def measure(python, scale=1.0):
    observation = truth.observe(python, "threads.py", 1.0 * scale)
    return [*share_figures(observation),
            gil_figure(observation, observation.truth["two"], "GIL wait of 2 threads"),
            gil_figure(observation, observation.truth["four"], "GIL wait of 4 threads")]
