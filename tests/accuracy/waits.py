# SPDX-License-Identifier: Apache-2.0
"""Truth of waits: calls that block, by the program's own clocks around them; and calls that do not.

The clocks stand outside the call, so a thread that is put off between them and the call is counted by
the program and not by the profiler: 20 microseconds a call, and what the kernel says it stood ready
without a core, or the host had taken it. Whoever comes back from a call needs the GIL first: that is in the program's figure too.
"""

import os
import tempfile

import truth

BAR = 2.0  # percent
CALLS = {"short sleeps": 600, "cached file": 100, "urandom": 100}
OUTSIDE_S = 20e-6


def figure(observation, row):
    waits = observation.waits_of_lines(row["first"], row["last"])
    outside = CALLS.get(row["name"], 12) * OUTSIDE_S + row["ready_s"] + observation.stolen_s
    if row["kind"] == "none":
        return truth.Figure("%s is no wait" % row["name"], 1000 * sum(waits.values()), 0,
                            10 * BAR * row["wall_s"], 0, unit="ms")
    true_s = row["wall_s"] - row["cpu_s"]
    found_s = waits.get(row["kind"], 0) + waits.get("gil", 0)
    return truth.Figure("%s (%s)" % (row["name"], row["kind"]), 1000 * found_s, 1000 * true_s, 10 * BAR * true_s,
                        1000 * outside, unit="ms")


def measure(python, scale=1.0):
    # Not in memory: a file on a disk, where there is one.
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        observation = truth.observe(python, "waits.py", 0.3 * scale, os.path.join(folder, "data"))
    return [figure(observation, row) for row in observation.truth["waits"]]
