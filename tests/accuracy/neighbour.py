# SPDX-License-Identifier: Apache-2.0
"""Truth beside a busy neighbour: a pure loop that gets half a core is neither idle nor in the kernel."""

import os
import subprocess
import sys

import truth

BAR = 2.0  # percent


def measure(python, scale=1.0):
    core = min(os.sched_getaffinity(0))
    code = "import os\nos.sched_setaffinity(0, {%d})\nwhile True: pass" % core
    neighbour = subprocess.Popen([sys.executable, "-c", code])
    try:
        observation = truth.observe(python, "neighbour.py", 1.0 * scale, core)
    finally:
        neighbour.kill()
        neighbour.wait()
    told = observation.truth
    seconds, waits = observation.of_lines(told["first"], told["last"])
    total = sum(seconds.values()) or 1
    true_system = 100 * told["system_s"] / told["cpu_s"]
    ticks = told["cpu_s"] * truth.TICK_HZ
    totals = observation.profile["totals"]
    end = observation.profile["start_time_absolute"] + observation.wall_s
    return [
        # Idle is told of the whole run, before and after the loop too, and so is what the host took.
        truth.Figure("idle", 100 * totals["idle_s"] / observation.wall_s, 0, BAR,
                     100 * observation.profile.stolen_s / observation.wall_s),
        truth.Figure("waits in the loop", 100 * sum(waits.values()) / told["wall_s"], 0, BAR, 0),
        truth.Figure("system time in the loop", 100 * seconds["system"] / total, true_system, BAR,
                     100 * truth.chance(true_system / 100, ticks)),
        truth.Figure("ready without a core", 1000 * totals["ready_s"], 1000 * told["ready_s"],
                     10 * BAR * told["ready_s"], 1000 * (end - told["told_at"] + told["stolen_s"]), unit="ms"),
    ]
