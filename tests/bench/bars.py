# SPDX-License-Identifier: Apache-2.0
"""What profiling may cost, and whether it does. A bar is missed when all that was seen lies above it: of ratios the
whole 95 % interval, of memory, which hardly varies, each run."""

import dataclasses

import statistics_of_pairs as pairs
from programs import COPYING, HEAVY, LIBRARIES, TEN

EVERYTHING, CPU_ONLY = "ours, all on", "ours, --cpu-only"
MEDIAN = 1.05
LOOPS = [name for name in TEN if name.startswith("async_")]
RATIOS = {
    EVERYTHING: {**dict.fromkeys(TEN + LIBRARIES, 1.10), **dict.fromkeys(HEAVY, 1.15), **dict.fromkeys(COPYING, 1.01),
                 **dict.fromkeys([*LOOPS, "sleepers"], 1.05)},
    CPU_ONLY: dict.fromkeys(LOOPS, 1.02),
}
MEMORY_PART, MEMORY_MB = 0.02, 4.0


@dataclasses.dataclass
class Bar:
    name: str
    most: float
    interval: tuple = None  # None: too few pairs
    unit: str = ""

    def verdict(self):
        if self.interval is None:
            return "not judged"
        return "missed" if self.interval[0] > self.most else "met"

    def __str__(self):
        found = "%.3f to %.3f%s" % (*self.interval, self.unit) if self.interval else "too few pairs"
        return "%-38s %-18s at most %.2f: %s" % (self.name, found, self.most, self.verdict())


def of_memory(one):
    """Of the peak of what is resident."""
    bare, profiled = one.values("peak_mb")
    if profiled:
        added = pairs.differences(bare, profiled)
        yield Bar("%s, %s" % (one.program, one.name), MEMORY_PART * min(bare) + MEMORY_MB, (min(added), max(added)), " MB")


def of_series(series, totals):
    for one in series:
        most = RATIOS.get(one.name, {}).get(one.program)
        if most:
            yield Bar("%s, %s" % (one.program, one.name), most, pairs.interval(one.cpu_ratios))
        if one.name in RATIOS:
            yield from of_memory(one)
    for total in totals:
        if total["profiler"] == EVERYTHING and total["clock"] == "CPU":
            middle, width = total["median"], total["half_width"]
            yield Bar("median of %d, %s" % (total["programs"], EVERYTHING), MEDIAN, (middle - width, middle + width))
