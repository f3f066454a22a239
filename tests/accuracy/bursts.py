# SPDX-License-Identifier: Apache-2.0
"""Truth of bursts: work of half a millisecond to three, in step with the clock, and short lives.

A sampler that looks only at the kernel's tick misses such work or finds it on the wrong line.
"""

import threads
import truth

BAR_CPU = 2.0  # percent
BAR_LINES = 3.0  # points
ALL_CELLS = [(burst, period) for burst in (0.5, 1.5, 3) for period in (4, 8, 10, 20)]
SHORT_CELLS = [(0.5, 4), (1.5, 8), (1.5, 10), (3, 20)]
SHORT_PERIOD_S = 0.002  # five times the usual rate, to have samples enough in two seconds


def cell(python, burst, period, seconds, period_s):
    observation = truth.observe(python, "bursts.py", seconds, burst, period, period_s=period_s)
    told = observation.truth
    name = "%g ms every %g ms" % (burst, period)
    yield truth.Figure("%s, CPU" % name, 1000 * threads.cpu_of(observation, told["names"]), 1000 * told["cpu_s"],
                       10 * BAR_CPU * told["cpu_s"], 0, unit="ms")
    yield share_of_first(observation, "%s, first line" % name, told["line"], told["first_s"], told["second_s"])


def share_of_first(observation, name, line, first_s, second_s):
    found = observation.cpu_of_lines(line), observation.cpu_of_lines(line + 2)
    part = first_s / (first_s + second_s)
    samples = observation.samples(first_s + second_s)
    measured = 100 * found[0] / sum(found) if sum(found) else 100.0
    return truth.Figure(name, measured, 100 * part, BAR_LINES, 100 * truth.chance(part, samples),
                        samples=samples, part=part)


def swarm(python, count):
    observation = truth.observe(python, "swarm.py", count, count // 5)
    told = observation.truth
    for key, name in (("thread", "%d threads of 3 ms" % count), ("child", "%d children of 3 ms" % (count // 5))):
        first, second, _ = told["threads" if key == "thread" else "children"]
        line = told[key + "_line"]
        found = observation.cpu_of_lines(line, line + 2)
        part = (first + second) / observation.cpu_s
        spread = observation.cpu_s * truth.chance(part, observation.samples(observation.cpu_s))
        yield truth.Figure("%s, their lines" % name, 1000 * found, 1000 * (first + second),
                           10 * BAR_CPU * (first + second), 1000 * spread, unit="ms")
        yield share_of_first(observation, "%s, first line" % name, line, first, second)
    yield swarm_sum(observation, count)


def swarm_sum(observation, count):
    """All of the tree against what the kernel charged it: no short life is lost."""
    kernel_s = observation.profile["totals"]["cpu_s_kernel_says"]
    return truth.Figure("%d short lives, CPU of the tree" % (count + count // 5), 1000 * observation.cpu_s,
                        1000 * kernel_s, 10 * BAR_CPU * kernel_s, 0, unit="ms")


def measure(python, scale=1.0):
    is_short = scale <= 1
    figures = []
    for burst, period in SHORT_CELLS if is_short else ALL_CELLS:
        # The rarer the bursts, the longer it takes to have samples: sixty of them at the usual rate.
        seconds = 2.0 if is_short else scale * max(3.0, 0.6 * period / burst)
        figures += cell(python, burst, period, seconds, SHORT_PERIOD_S if is_short else 0.01)
    return figures + list(swarm(python, 1000))
