# SPDX-License-Identifier: Apache-2.0
"""Truth of lines whose library computes on threads of its own: a line has what its thread used there, by that
thread's clock, and nothing of the library's threads, which are on no line."""

import truth

PERIOD_S = 0.005
BAR = 0.5  # points: the clock is read beside the lines, in each round of the small one
THREADS = "2"


def measure(python, scale=1.0):
    numpy_python = truth.profiling.with_packages(python, "numpy") or python
    observation = truth.observe(numpy_python, "blas.py", 1.0 * scale, period_s=PERIOD_S,
                                environment={"OPENBLAS_NUM_THREADS": THREADS})
    rows, main_s = observation.truth["lines"], observation.truth["main_s"]
    samples = observation.samples(main_s)
    figures = [share_figure(observation, row, samples) for row in rows]
    if observation.truth["threads"] < min(int(THREADS), observation.truth["cores"]):
        figures.append(truth.Figure("threads of BLAS, which there are none of", 100, 0, 0, 0))
    return figures


def share_figure(observation, row, samples):
    """Of the main thread's time."""
    (main,) = [thread for thread in observation.profile["threads"] if thread["name"] == "MainThread"]
    found_s = sum(main["cpu_%s_s" % kind] for kind in truth.KINDS)
    part = row["cpu_s"] / observation.truth["main_s"]
    return truth.Figure("line %d beside BLAS's threads" % row["last"],
                        100 * observation.cpu_of_lines(row["first"], row["last"]) / found_s, 100 * part, BAR,
                        100 * truth.chance(part, samples), samples=samples, part=part)
