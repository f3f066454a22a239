# SPDX-License-Identifier: Apache-2.0
"""Truth of line: the share of each line, against the thread's clock read before and after it.

All lines together are one experiment: n samples fall on lines of known shares, so each line's error
is binomial, and the sum of squares over all lines is chi-square.
"""

import truth

PERIOD_S = 0.005
BAR = 0.3  # points: readings of the clock, and the call around them, fall on the line or beside it


def measure(python, scale=1.0):
    observation = truth.observe(python, "lines.py", 7 * scale, period_s=PERIOD_S)
    rows = observation.truth["lines"]
    true_s = sum(row["cpu_s"] for row in rows)
    found = [observation.cpu_of_lines(row["first"], row["last"]) for row in rows]
    found_s = sum(found)
    samples = observation.samples(found_s)
    figures = []
    for row, seconds in zip(rows, found):
        part = row["cpu_s"] / true_s
        figures.append(truth.Figure("%s, line %d" % (row["group"], row["first"]), 100 * seconds / found_s,
                                    100 * part, BAR, 100 * truth.chance(part, samples), samples=samples, part=part))
    return figures + [together(figures, samples), beside(observation, rows, found_s)]


def together(figures, samples):
    """Many small errors that no line shows alone."""
    squares = sum(max(0.0, abs(figure.error) - BAR) ** 2 / figure.truth for figure in figures)
    limit = truth.chi_square_limit(len(figures) - 1)
    return truth.Figure("chi-square of all lines", squares * samples / 100, 0, 0, limit, unit="")


def beside(observation, rows, found_s):
    """CPU time of the target that fell on lines which take none, as a part of all."""
    first = min(row["first"] for row in rows)
    last = max(row["last"] for row in rows)
    all_s = observation.cpu_of_lines(first, last)
    true_s = sum(row["cpu_s"] for row in rows)
    part = max(0.0, 1 - true_s / observation.truth["cpu_s"])
    measured = 100 * (1 - found_s / all_s)
    return truth.Figure("on lines between", measured, 0, 100 * part + BAR,
                        100 * truth.chance(part, observation.samples(all_s)))
