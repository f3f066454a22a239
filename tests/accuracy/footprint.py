# SPDX-License-Identifier: Apache-2.0
"""Truth of the footprint: its peak against the program's own count and against resident memory.

Both are compared by what a run that holds so much has more than one that holds nothing, since libraries
reserve memory that they never touch. The interpreter alone is compared as it is.
"""

import memory
import truth

BAR = 1.0  # percent of what is held
HELD_MB = 512
KINDS = ["bytes", "bytes of every size", "lists", "dicts", "small objects", "array", "numpy", "private map",
         "shared map"]


def observe(python, kind, size_mb):
    """Megabytes: the footprint's peak, resident, counted, and how unsure the count is."""
    observation = truth.observe(python, "footprint.py", kind, size_mb)
    told = observation.truth
    return (observation.profile["max_footprint_mb"],
            *(told[name] / 2**20 for name in ("resident", "counted", "unsure")))


def figures(python, kind):
    base_mb, base_resident_mb, _, _ = observe(python, kind, 0)
    peak_mb, resident_mb, counted_mb, unsure_mb = observe(python, kind, HELD_MB)
    bar = BAR / 100 * counted_mb
    if kind == KINDS[0]:
        yield truth.Figure("the interpreter, resident", base_mb, base_resident_mb, bar, 0, unit="MB")
    yield truth.Figure("%s, own count" % kind, peak_mb - base_mb, counted_mb, bar, unsure_mb, unit="MB")
    yield truth.Figure("%s, resident" % kind, peak_mb - base_mb, resident_mb - base_resident_mb, bar, unsure_mb,
                       unit="MB")


def measure(python, scale=1.0):
    found = []
    for kind in KINDS:
        found += figures(memory.with_numpy(python) if kind == "numpy" else python, kind)
    return found
