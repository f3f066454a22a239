# SPDX-License-Identifier: Apache-2.0
"""Truth of the footprint: its peak against the program's own count and against resident memory.

The count is compared with what the same program adds to a run that holds nothing. Resident memory,
files left out, is compared as it is: libraries' data and the profiler's own tables are in it and not
in the footprint, which must stay within the bar too.
"""

import memory
import truth

BAR = 1.0  # percent of what is held
HELD_MB = 512
KINDS = ["bytes", "bytes of every size", "lists", "dicts", "small objects", "array", "numpy", "private map",
         "shared map"]


def peak_mb(python, kind, size_mb):
    observation = truth.observe(python, "footprint.py", kind, size_mb)
    return observation.profile["max_footprint_mb"], observation.truth


def figures(python, kind):
    base_mb, _ = peak_mb(python, kind, 0)
    measured_mb, told = peak_mb(python, kind, HELD_MB)
    counted_mb, resident_mb = told["counted"] / 2**20, told["resident"] / 2**20
    bar = BAR / 100 * counted_mb
    yield truth.Figure("%s, own count" % kind, measured_mb - base_mb, counted_mb, bar, 0, unit="MB")
    yield truth.Figure("%s, resident" % kind, measured_mb, resident_mb, bar, 0, unit="MB")


def measure(python, scale=1.0):
    found = []
    for kind in KINDS:
        found += figures(memory.with_numpy(python) if kind == "numpy" else python, kind)
    return found
