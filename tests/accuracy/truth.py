# SPDX-License-Identifier: Apache-2.0
"""A target under the profiler: what it says of itself beside what the profile says, and the chance between.

Every bound is the bar plus what chance alone may add. Points are drawn one in each period of CPU
time, so the number that falls on a part p of the time varies at most as if each of the n points were
drawn alone: variance n p (1 - p). With Z = 6 a figure that is right is called wrong twice in 10^9;
the suite has some fifty such figures an interpreter, so that a right build fails the whole of it
less than once in a million runs. Nothing is measured a second time to pass.
"""

import dataclasses
import functools
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
TARGETS = HERE / "targets"
sys.path.append(str(HERE.parent / "integration"))

import profiling  # noqa: E402

Z = 6.0
TICK_HZ = 250  # the slowest tick of the kernels in use: its accounts of user and system are samples too
KINDS = ("python", "native", "system")


@dataclasses.dataclass
class Figure:
    """One thing measured. It is right when |measured - truth| is at most the bar plus the chance."""

    name: str
    measured: float
    truth: float
    bar: float
    chance: float
    unit: str = "%"
    samples: float = 0.0  # behind a share; 0: no share
    part: float = 0.0  # that share as it should be, or the bar where it should be none
    z: float = Z

    @property
    def error(self):
        return self.measured - self.truth

    @property
    def is_right(self):
        return abs(self.error) <= self.bar + self.chance

    @staticmethod
    def pool(figures):
        samples = sum(figure.samples for figure in figures)

        def mean(field):
            return sum(getattr(figure, field) * figure.samples for figure in figures) / samples

        z = figures[0].z
        return Figure(figures[0].name, mean("measured"), mean("truth"), figures[0].bar,
                      100 * chance(mean("part"), samples, z), samples=samples, part=mean("part"), z=z)

    def __str__(self):
        return "%-34s measured %8.2f %-6s truth %8.2f  error %+7.2f  allowed %.2f + %.2f" % (
            self.name, self.measured, self.unit, self.truth, self.error, self.bar, self.chance)


def chance(part, samples, z=Z):
    """How far a part of the samples may lie from its truth. The second term is the skew of a
    binomial distribution (Cornish and Fisher): the rarer, the further out its upper tail."""
    part = min(max(part, 0.0), 1.0)
    if samples <= 0:
        return 1.0
    spread = z * math.sqrt(part * (1 - part) / samples)
    return spread + (z * z - 1) / 6 * abs(1 - 2 * part) / samples


def chi_square_limit(freedom):
    """What chi-square exceeds as rarely as a normal variable exceeds Z (Wilson and Hilferty)."""
    spread = 2 / (9 * freedom)
    return freedom * (1 - spread + Z * math.sqrt(spread)) ** 3


@dataclasses.dataclass
class Observation:
    """A run of a target: its own truth, and the profile."""

    truth: dict
    profile: dict
    lines: dict  # of the target's own file, by number
    period_s: float
    wall_s: float

    def samples(self, cpu_s):
        """How many independent points so much CPU time is worth. Where points come closer than the
        kernel's ticks, one sample stands for two periods, and weighs double in the variance."""
        periods = self.cpu_s / self.period_s
        taken = self.profile["quality"]["cpu_samples"]
        doubled = max(0.0, periods - taken)
        worth = periods * periods / (taken + 3 * doubled) if taken else 0
        return cpu_s / self.cpu_s * min(worth, taken) if self.cpu_s else 0

    @property
    def cpu_s(self):
        totals = self.profile["totals"]
        return sum(totals["cpu_%s_s" % kind] for kind in KINDS)

    def of_lines(self, first, last):
        """Seconds by kind, and waits by kind, of these lines together."""
        chosen = [line for number, line in self.lines.items() if first <= number <= last]
        seconds = {kind: sum(line["cpu_%s_s" % kind] for line in chosen) for kind in KINDS}
        waits = {}
        for line in chosen:
            for kind, value in line["wait_s"].items():
                waits[kind] = waits.get(kind, 0) + value
        return seconds, waits

    def cpu_of_lines(self, first, last=None):
        return sum(self.of_lines(first, last or first)[0].values())

    def waits_of_lines(self, first, last=None):
        return self.of_lines(first, last or first)[1]


@functools.lru_cache(maxsize=None)
def native_library():
    folder = tempfile.mkdtemp(prefix="scalene-accuracy-")
    library = os.path.join(folder, "libnative_work.so")
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", library, TARGETS / "native_work.c"], check=True)
    return library


def observe(python, target, *arguments, period_s=0.01, timeout=600, options=(), environment=None):
    """Profiles the target and reads both sides. Unless the environment says otherwise BLAS computes on no thread of its
    own."""
    with tempfile.TemporaryDirectory(prefix="scalene-accuracy-") as folder:
        path = TARGETS / target
        run = profiling.profile(
            python, path, *arguments, out=os.path.join(folder, "profile.json"), cwd=folder, timeout=timeout,
            options=["--cpu-sampling-rate", "%g" % period_s, *options],
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1", **(environment or {})})
    if run.status or run.profile is None:
        raise AssertionError("%s on %s ended with %d: %s" % (target, python, run.status, run.stderr))
    truth = json.loads(run.stdout.splitlines()[-1])
    return Observation(truth, run.profile, profiling.lines(run.profile, path), period_s,
                       run.profile["elapsed_time_sec"])


def pooled(lists):
    """The shares of the same name, from many interpreters, as one experiment."""
    names = {figure.name for figures in lists for figure in figures if figure.samples > 0}
    return [pool([figure for figures in lists for figure in figures if figure.name == name])
            for name in sorted(names)]


def pool(figures):
    return figures[0].pool(figures)


def wrong(figures):
    return [figure for figure in figures if not figure.is_right]
