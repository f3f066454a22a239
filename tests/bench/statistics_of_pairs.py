# SPDX-License-Identifier: Apache-2.0
"""A ratio from alternating runs (bare, profiled, bare, profiled, ..., bare), and how sure it is."""

import math
import random
import statistics


def ratios(bare, profiled):
    """Each profiled run against the mean of the bare runs just before and after it."""
    return [value / ((bare[i] + bare[i + 1]) / 2) for i, value in enumerate(profiled)]


def differences(bare, profiled):
    return [value - (bare[i] + bare[i + 1]) / 2 for i, value in enumerate(profiled)]


def half_width(values):
    """Half the 95 % interval of the median, by ranks: no shape of the noise is assumed."""
    count = len(values)
    rank = interval_rank(count)
    if rank is None:
        return math.inf
    ordered = sorted(values)
    return (ordered[count - rank] - ordered[rank - 1]) / 2


def interval(values):
    """The 95 % interval of the median itself; None where too few values give none."""
    rank = interval_rank(len(values))
    if rank is None:
        return None
    ordered = sorted(values)
    return ordered[rank - 1], ordered[len(values) - rank]


def finite(value):
    """For a table: None where too few values give no interval."""
    return None if math.isinf(value) else value


def interval_rank(count):
    """The largest k for which the kth lowest and kth highest of `count` hold the median with 95 %.

    The number of values below the median is binomial: half a chance each.
    """
    outside = 0.0
    best = None
    for k in range(1, count // 2 + 1):
        outside += math.comb(count, k - 1) / 2**count
        if 2 * outside > 0.05:
            break
        best = k
    return best


def median_of_medians(samples, rounds=2000, seed=1):
    """The median over programs of their median ratios, with half its 95 % interval by resampling."""
    chance = random.Random(seed)
    middles = []
    for _ in range(rounds):
        middles.append(statistics.median(
            statistics.median(chance.choices(values, k=len(values))) for values in samples))
    middles.sort()
    low, high = middles[int(rounds * 0.025)], middles[int(rounds * 0.975)]
    return statistics.median(statistics.median(values) for values in samples), (high - low) / 2
