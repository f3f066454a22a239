# SPDX-License-Identifier: Apache-2.0
"""Truth of allocations: bytes by line, by every way that memory is had, against arithmetic.

What a profile states as its error must not be so wide that anything is within it: of a line with
much it is a few percent at most. What the interpreter recycles was asked for once only.
"""

import memory
import truth

BAR = 1.0  # percent, above 100 MB
BAR_STATED = 5.0  # percent
BAR_PART = 0.02
BAR_RECYCLED_MB = 1.0


def is_recycled(row):
    return row["mb"] == 0


def stated_figures(observation, rows):
    for row in rows:
        if row["mb"] >= memory.LARGE_MB:
            yield truth.Figure("stated error of %s" % row["name"],
                               memory.of_line(observation, row["line"], "alloc_error_mb"), 0, BAR_STATED / 100 * row["mb"],
                               0, unit="MB")


def part_figures(observation, rows):
    """How much came through Python's own allocators."""
    for row in rows:
        if row["python_part"] is None:
            continue
        yield truth.Figure("Python's part of %s" % row["name"],
                           100 * memory.of_line(observation, row["line"], "n_python_fraction"),
                           100 * row["python_part"], 100 * BAR_PART, 0)


def beside(observation, rows):
    """Bytes on other lines of the functions that allocate: arguments, loops, the lists of the count."""
    lines = {line for row in rows for line in range(row["first"], row["last"] + 1)} - {row["line"] for row in rows}
    measured = sum(memory.of_line(observation, line, "n_malloc_mb") for line in lines)
    return truth.Figure("on lines between", measured, 0, BAR / 100 * sum(row["mb"] for row in rows), 0, unit="MB")


def measure(python, scale=1.0):
    observation = truth.observe(memory.with_numpy(python), "allocations.py", max(1.0, scale))
    rows = [row for row in observation.truth["rows"] if not is_recycled(row)]
    recycled = [truth.Figure("%s tuples" % row["name"], memory.of_line(observation, row["line"], "n_malloc_mb"), 0,
                             BAR_RECYCLED_MB, 0, unit="MB")
                for row in observation.truth["rows"] if is_recycled(row)]
    return [*memory.bytes_figures(observation, rows, BAR), *stated_figures(observation, rows),
            *part_figures(observation, rows), *recycled, beside(observation, rows),
            *memory.missing_numpy(observation)]
