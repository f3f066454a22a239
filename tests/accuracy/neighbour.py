# SPDX-License-Identifier: Apache-2.0
"""Truth beside a busy neighbour: a pure loop that gets half a core is neither idle nor in the kernel."""

import os
import subprocess
import sys

import truth

BAR = 2.0  # percent


def outside_s(observation, end):
    """Idle is told of the whole run: before the loop it may have been, as when a file was read from disk, by what the
    program knows of itself then; after it nobody knows. What the host took is in nobody's account."""
    before = observation.truth["before"]
    began_s = before["at"] - observation.profile["start_time_absolute"]
    return max(0.0, began_s - before["worked_s"]) + end - observation.truth["told_at"] + observation.profile.stolen_s


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
        truth.Figure("idle", 100 * totals["idle_s"] / observation.wall_s, 0, BAR,
                     100 * outside_s(observation, end) / observation.wall_s),
        truth.Figure("waits in the loop", 100 * sum(waits.values()) / told["wall_s"], 0, BAR, 0),
        truth.Figure("system time in the loop", 100 * seconds["system"] / total, true_system, BAR,
                     100 * truth.chance(true_system / 100, ticks)),
        truth.Figure("ready without a core", 1000 * totals["ready_s"], 1000 * told["ready_s"],
                     10 * BAR * told["ready_s"], 1000 * (end - told["told_at"] + told["stolen_s"]), unit="ms"),
    ]
