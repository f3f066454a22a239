# SPDX-License-Identifier: Apache-2.0
"""Truth of kind: phases that are Python, native, system or none of these, known from how they are made.

What part of a phase is the kernel's, getrusage says; the rest is of the phase's kind. The wrong-kind
share is the time that would have to change its kind for the profile to be right.
"""

import dataclasses
import math

import truth

PERIOD_S = 0.005
BAR_PHASE = 5.0
BAR_ALL = 2.0
BAR_WAIT = 2.0

# A build that is wrong by less than the bar has room below it: once in a million a figure is enough.
Z = 4.9


def expected(row):
    """Shares of the kinds; "user" where either Python or native is right."""
    used = row["user_s"] + row["system_s"]
    system = row["system_s"] / used
    if row["kind"] in ("either", "system"):
        return {"user": 1 - system, "system": system}
    return {row["kind"]: 1 - system, "system": system}


def wrong_share(seconds, shares):
    total = sum(seconds.values())
    measured = {kind: value / total for kind, value in seconds.items()}
    if "user" in shares:
        measured = {"user": measured["python"] + measured["native"], "system": measured["system"]}
    return sum(max(0.0, value - shares.get(kind, 0)) for kind, value in measured.items())


def allowance(row, bar, samples):
    """The profile's samples, and the kernel's own: its accounts of user and system go by ticks."""
    system = expected(row)["system"]
    ticks = row["cpu_s"] * truth.TICK_HZ
    return 100 * math.hypot(truth.chance(bar / 100, samples, Z), Z * math.sqrt(system * (1 - system) / ticks))


@dataclasses.dataclass
class PhaseFigure(truth.Figure):
    """Keeps what it was made of: a wrong-kind share is never below 0, so that of several their chance would add up. Of
    several runs it is the share of all their seconds."""

    seconds: dict = None
    row: dict = None

    @staticmethod
    def pool(figures):
        def total(name, places):
            return sum(place[name] for place in places)

        rows, seconds = [figure.row for figure in figures], [figure.seconds for figure in figures]
        row = dict(rows[0], **{name: total(name, rows) for name in ("cpu_s", "user_s", "system_s")})
        return phase({kind: total(kind, seconds) for kind in truth.KINDS}, row, sum(figure.samples for figure in figures))


def phase(seconds, row, samples):
    measured = 100 * wrong_share(seconds, expected(row)) if sum(seconds.values()) else 100.0
    return PhaseFigure(row["name"], measured, 0, BAR_PHASE, allowance(row, BAR_PHASE, samples),
                       samples=samples, part=BAR_PHASE / 100, z=Z, seconds=seconds, row=row)


def figure_of_phase(observation, row):
    seconds, waits = observation.of_lines(row["first"], row["last"])
    if row["kind"] == "none":
        return figure_of_wait(row, seconds, waits)
    return phase(seconds, row, observation.samples(row["cpu_s"]))


def figure_of_wait(row, seconds, waits):
    """CPU time shown where the thread was blocked, as a part of the wall time. Ten waits use less
    than a millisecond; a sample among them weighs a whole period: 6 of them is beyond chance. Between
    two waits the thread may be put off, by others that want the core or by a virtual machine's host."""
    wait = sum(waits.values())
    measured = 100 * (sum(seconds.values()) + abs(row["wall_s"] - row["cpu_s"] - wait)) / row["wall_s"]
    unit_s = 1 / truth.profiling.CLOCK_HZ if row["stolen_s"] else 0  # that is told in whole ones
    put_off_s = row["ready_s"] + row["stolen_s"] + unit_s
    return truth.Figure(row["name"], measured, 0, BAR_WAIT, 100 * (6 * PERIOD_S + put_off_s) / row["wall_s"])


def measure(python, scale=1.0):
    numpy_python = truth.profiling.with_packages(python, "numpy") or python
    observation = truth.observe(numpy_python, "kinds.py", 0.7 * scale, truth.native_library(), period_s=PERIOD_S)
    figures = [figure_of_phase(observation, row) for row in observation.truth["phases"]]
    if not observation.truth["has_numpy"]:
        figures.append(truth.Figure("numpy, which cannot be had", 100, 0, 0, 0))
    return figures + [over_all(figures)]


def over_all(figures):
    samples = sum(figure.samples for figure in figures)
    mean = sum(figure.measured * figure.samples for figure in figures) / samples
    return truth.Figure("all phases together", mean, 0, BAR_ALL, 100 * truth.chance(BAR_ALL / 100, samples, Z),
                        samples=samples, part=BAR_ALL / 100, z=Z)
