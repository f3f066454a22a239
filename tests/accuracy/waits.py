# SPDX-License-Identifier: Apache-2.0
"""Truth of waits: calls that block, by the program's own clocks around them; and calls that do not.

The clocks stand outside the call, so a thread that is put off between them and the call is counted by
the program and not by the profiler: 5 microseconds a call, what the kernel says it stood ready
without a core, and what a virtual machine's host took away meanwhile. A call in which pages had to be
read that the kernel had taken out of memory says nothing: it waits where nobody asked it to. Whoever comes back from a call needs the GIL first: that is in the program's figure too,
and may not be more than the bar, or a lock called GIL would pass.
"""

import os
import tempfile

import truth

BAR = 2.0  # percent
OUTSIDE_S = 5e-6
STOLEN_UNIT_S = 1 / truth.profiling.CLOCK_HZ


def stolen_s(observation, row):
    """What the host took away is told in whole units of all that it ever took: where it took any in this run, one
    unit more than is told may be this row's."""
    told_s = observation.profile.stolen_s - STOLEN_UNIT_S
    return row["stolen_s"] + (STOLEN_UNIT_S if told_s > STOLEN_UNIT_S / 2 else 0)


def allowance(observation, row):
    return 1000 * (row["calls"] * OUTSIDE_S + row["ready_s"] + row["unsure_s"] + stolen_s(observation, row))


def figure(observation, row):
    waits = observation.waits_of_lines(row["first"], row["last"])
    if row["kind"] == "none":
        return truth.Figure("%s is no wait" % row["name"], 1000 * sum(waits.values()), 0,
                            10 * BAR * row["wall_s"], 1000 * (row["unsure_s"] + stolen_s(observation, row)),
                            unit="ms")
    true_s = row["wall_s"] - row["cpu_s"]
    found_s = waits.get(row["kind"], 0) + waits.get("gil", 0)
    return truth.Figure("%s (%s)" % (row["name"], row["kind"]), 1000 * found_s, 1000 * true_s, 10 * BAR * true_s,
                        allowance(observation, row), unit="ms")


def figure_of_kinds(observation):
    """The call whose waits are most of another kind than it makes."""
    rows = [row for row in observation.truth["waits"] if row["kind"] != "none"]
    figures = []
    for row in rows:
        waits = observation.waits_of_lines(row["first"], row["last"])
        other_s = sum(seconds for kind, seconds in waits.items() if kind != row["kind"])
        figures.append(truth.Figure("most of another kind", 1000 * other_s, 0, 10 * BAR * row["wall_s"],
                                    allowance(observation, row), unit="ms"))
    return max(figures, key=lambda figure: figure.measured - figure.bar - figure.chance)


def measure(python, scale=1.0):
    # Not in memory: a file on a disk, where there is one.
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        observation = truth.observe(python, "waits.py", 0.3 * scale, os.path.join(folder, "data"))
    return [*(figure(observation, row) for row in observation.truth["waits"]), figure_of_kinds(observation)]
