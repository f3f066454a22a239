# SPDX-License-Identifier: Apache-2.0
"""Truth of copies: bytes copied by line, against arithmetic.

One point is drawn in each so many bytes, so that a line may be off by a few of these at most, and a
line that copies nothing by one.
"""

import memory
import truth

BAR = 5.0  # percent
NOTHING_MB = 1.0


def measure(python, scale=1.0):
    observation = truth.observe(memory.with_numpy(python), "copies.py", max(1.0, scale))
    rows = observation.truth["rows"]
    return [*(truth.Figure(row["name"], memory.of_line(observation, row["line"], "copy_mb"), row["mb"],
                           BAR / 100 * row["mb"] or NOTHING_MB, 0, unit="MB") for row in rows),
            *memory.missing_numpy(observation)]
