# SPDX-License-Identifier: Apache-2.0
"""Truth of memory across threads and processes: made here and freed there, 200 threads at once, native
threads, children."""

import memory
import truth

BAR = 1.0  # percent of bytes allocated
BAR_LIVE_MB = 1.0
BAR_NATIVE = 2.0


def measure(python, scale=1.0):
    observation = truth.observe(python, "crossings.py", max(1.0, scale), memory.native_library())
    rows = observation.truth["rows"]
    live = [truth.Figure("%s, left at the end" % row["name"],
                         memory.of_line(observation, row["line"], "live_at_end_mb"), row["end_mb"], BAR_LIVE_MB, 0,
                         unit="MB") for row in rows if row["end_mb"] is not None]
    native_mb = observation.truth["native_mb"]
    native = truth.Figure("threads without Python", observation.profile["native_allocations_mb"], native_mb,
                          BAR_NATIVE / 100 * native_mb, 0, unit="MB")
    return [*memory.bytes_figures(observation, rows, BAR), *live, native]
