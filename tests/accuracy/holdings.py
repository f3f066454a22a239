# SPDX-License-Identifier: Apache-2.0
"""Truth of holdings: what each line holds when the footprint is highest, and at the end.

Where blocks are freed in the order they were made, what is left is as sure as what was made. Where
chance decides, each sampled block that stays stands for M bytes: of A bytes allocated and L live the
standard deviation is sqrt(M L (1 - L / A)). M is asked for here, so that it is known.
"""

import math

import memory
import truth

BAR = 2.0  # percent
WINDOW = 16384
NOTHING_MB = 1.0  # where nothing should be: a few points' worth


def stated_mb(observation, row):
    return memory.of_line(observation, row["line"], "live_error_mb")


def chance(observation, row):
    return memory.Z / memory.Z_STATED * stated_mb(observation, row)


def by_theory(row, live_mb):
    """Half the 95 % interval of what is left of this line."""
    if not row["is_random"]:
        return 0.0
    return memory.Z_STATED * math.sqrt(WINDOW / 2**20 * live_mb * (1 - live_mb / row["made_mb"]))


def figures(observation, field, when):
    for row in observation.truth["rows"]:
        true_mb = row[when]
        bar = BAR / 100 * true_mb if true_mb else NOTHING_MB
        yield truth.Figure("%s: %s" % (field, row["name"]), memory.of_line(observation, row["line"], field), true_mb,
                           bar, chance(observation, row), unit="MB")


def peak_of_line(observation):
    for row in observation.truth["rows"]:
        if not row["is_random"] and "half" not in row["name"]:
            yield truth.Figure("n_peak_mb: %s" % row["name"], memory.of_line(observation, row["line"], "n_peak_mb"),
                               row["made_mb"], BAR / 100 * row["made_mb"], chance(observation, row),
                               unit="MB")


def stated_figures(observation):
    """The stated error is no wider than theory has it, but for the bar."""
    for row in observation.truth["rows"]:
        if row["end_mb"]:
            theory = by_theory(row, row["end_mb"])
            yield truth.Figure("stated error: %s" % row["name"], stated_mb(observation, row), theory,
                               BAR / 100 * row["end_mb"], theory / 2, unit="MB")


def sum_at_peak(observation):
    """Lines together hold what they hold; the peak has the gaps between the small objects left too."""
    profile = observation.profile
    lines = sum(line["live_at_peak_mb"] for content in profile["files"].values() for line in content["lines"])
    resident_mb = observation.truth["resident_mb"]
    true_mb = sum(row["peak_mb"] for row in observation.truth["rows"])
    return [truth.Figure("lines at the peak together", lines, true_mb, BAR / 100 * true_mb, 0, unit="MB"),
            truth.Figure("the peak, resident", profile["max_footprint_mb"], resident_mb, BAR / 100 * resident_mb, 0,
                         unit="MB")]


def measure(python, scale=1.0):
    """Always as long: more would not fit into the table of live blocks at this M, and be thinned."""
    observation = truth.observe(python, "holdings.py", 1.0, options=["--allocation-sampling-window", str(WINDOW)])
    return [*figures(observation, "live_at_peak_mb", "peak_mb"), *figures(observation, "live_at_end_mb", "end_mb"),
            *peak_of_line(observation), *stated_figures(observation), *sum_at_peak(observation)]
