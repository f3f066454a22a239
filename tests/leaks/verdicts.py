#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Whether leaks are found and nothing else is called one: each program here tells in its first line.

    # leak: KEPT 4 MB/s         the line that ends with the comment KEPT leaks so much
    # no leak                   whatever grows, stops growing or is freed
    # leak: KEPT 1.2 MB/s 60 s  a program that needs so long

A line that ends with HOLDS grows too, by the little that it takes to hold what leaks: it may be named
or not. Those in held_out/ were never used to tune the detector, and are told apart. A program that sleeps
most of the time leaves room for others: several run at a time.
"""

import argparse
import concurrent.futures
import dataclasses
import math
import os
import pathlib
import re
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "integration"))

import profiling  # noqa: E402

JOBS = 8  # they sleep most of the time
SECONDS = 14.0
RATE_BAR = 0.25  # of the true rate: what is said to be lost a second should help to find it
# Of the run, which a rate is measured over: its first third may be the program's start, its last 32nd its end, and
# blocks of the sixteenth before are too young to tell.
PACED_PART = 31 / 32 * (15 / 16 - 1 / 3)
Z = 4.9  # exceeded once in a million
Z_STATED = 1.96
FIRST_LINE = re.compile(r"# (?:no leak|leak: (?P<mark>\w+) (?P<rate>[\d.]+) MB/s)(?: (?P<seconds>[\d.]+) s)?")


@dataclasses.dataclass
class Program:
    path: pathlib.Path
    line: int  # that leaks; 0: none
    holders: list  # lines that grow with it
    rate_mb_s: float
    seconds: float
    is_held_out: bool

    @property
    def name(self):
        return self.path.stem


@dataclasses.dataclass
class Verdict:
    """What the profile says of a program: its leaks, as {(file, line): MB/s}."""

    program: Program
    leaks: dict
    failure: str = ""
    chance_mb_s: float = 0.0  # that sampling and a crowded machine may add to the error of the rate

    @property
    def is_found(self):
        return (self.program.name, self.program.line) in self.leaks

    @property
    def false_alarms(self):
        program = self.program
        return sorted(place for place in self.leaks
                      if place not in {(program.name, line) for line in (program.line, *program.holders)})

    @property
    def has_right_rate(self):
        """Or none to be judged."""
        if not self.is_found:
            return True
        program = self.program
        error_mb_s = self.leaks[program.name, program.line] - program.rate_mb_s
        return abs(error_mb_s) <= RATE_BAR * program.rate_mb_s + self.chance_mb_s

    @property
    def is_right(self):
        return not self.failure and not self.false_alarms and self.is_found == bool(self.program.line) and \
            self.has_right_rate

    def __str__(self):
        program = self.program
        expected = "line %d, %.1f MB/s" % (program.line, program.rate_mb_s) if program.line else "no leak"
        said = ", ".join("%s:%d %.2f MB/s" % (*place, rate) for place, rate in sorted(self.leaks.items())) or "no leak"
        return "%-9s %-5s %-20s %-20s %s" % ("held out" if program.is_held_out else "", "right" if self.is_right
                                             else "WRONG", program.name, expected, self.failure or said)


def read(path, is_held_out):
    lines = path.read_text(encoding="utf-8").splitlines()
    told = FIRST_LINE.fullmatch(lines[0])
    seconds = float(told["seconds"] or SECONDS)
    if not told["mark"]:
        return Program(path, 0, [], 0.0, seconds, is_held_out)
    marked, holders = ([number for number, line in enumerate(lines, 1) if line.endswith("# " + mark)]
                       for mark in (told["mark"], "HOLDS"))
    assert len(marked) == 1, path
    return Program(path, marked[0], holders, float(told["rate"]), seconds, is_held_out)


def programs(has_held_out=True):
    """The longest first, so that none of them is left for the end alone."""
    folders = [HERE, HERE / "held_out"] if has_held_out else [HERE]
    found = [read(path, folder != HERE) for folder in folders for path in sorted(folder.glob("*.py"))
             if path.read_text(encoding="utf-8").startswith(("# leak", "# no leak"))]
    return sorted(found, key=lambda program: -program.seconds)


def leaks_of(profile):
    return {(pathlib.Path(path).stem, int(line)): leak["velocity_mb_s"]
            for path, content in profile["files"].items() for line, leak in content["leaks"].items()}


def sampling_mb_s(line, program):
    """What the line holds at the end has a stated error, half of a 95 % interval: next to nothing where all that it
    makes is kept or every block is a sample, 12 % of it where one in a hundred stays and few of these are samples. What
    came while the rate was measured is a part of that, and has the same part of the variance."""
    if not line["live_at_end_mb"]:
        return 0.0
    paced_s = PACED_PART * program.seconds
    part = min(1.0, program.rate_mb_s * paced_s / line["live_at_end_mb"])
    return Z / Z_STATED * line["live_error_mb"] * math.sqrt(part) / paced_s


def slowness_mb_s(profile, program):
    """A program that the machine has no time for runs for longer than it was told to, and leaks as much slower."""
    return program.rate_mb_s * max(0.0, 1 - program.seconds / profile["elapsed_time_sec"])


def chance_mb_s(profile, program):
    line = profiling.lines(profile, program.path).get(program.line)
    return sampling_mb_s(line, program) + slowness_mb_s(profile, program) if line else 0.0


def judge(python, program, options=()):
    with tempfile.TemporaryDirectory(prefix="scalene-leaks-") as folder:
        run = profiling.profile(
            python, program.path, "%g" % program.seconds, out=os.path.join(folder, "profile.json"), cwd=folder,
            options=options, timeout=20 * program.seconds,
            env=dict(os.environ, PYTHONPATH=str(HERE), PYTHONDONTWRITEBYTECODE="1"))
    if run.status or run.profile is None:
        return Verdict(program, {}, "ended with %d: %s" % (run.status, run.stderr.strip()[-200:]))
    return Verdict(program, leaks_of(run.profile), chance_mb_s=chance_mb_s(run.profile, program))


def judge_all(python, chosen, options=(), jobs=JOBS):
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        yield from pool.map(lambda program: judge(python, program, options), chosen)


def summary(verdicts):
    leaking = [verdict for verdict in verdicts if verdict.program.line]
    alarms = sum(len(verdict.false_alarms) for verdict in verdicts)
    wrong_rates = sum(not verdict.has_right_rate for verdict in leaking)
    return "%d of %d leaks found, %d of them with a rate off by more than %d %% and chance; %d false alarms in %d " \
        "programs" % (sum(verdict.is_found for verdict in leaking), len(leaking), wrong_rates, 100 * RATE_BAR, alarms,
                      len(verdicts))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="only these programs")
    parser.add_argument("--python", default="", help="version that begins like this (the newest found)")
    parser.add_argument("--no-held-out", action="store_true", help="leave out those not to be tuned with")
    parser.add_argument("--jobs", type=int, default=JOBS, help="how many at a time (%d)" % JOBS)
    options = parser.parse_args()
    python = [python for python in profiling.pythons() if python.id.startswith(options.python)][-1]
    chosen = [program for program in programs(not options.no_held_out)
              if not options.names or program.name in options.names]
    verdicts = []
    for verdict in judge_all(python, chosen, jobs=options.jobs):
        print(verdict, flush=True)
        verdicts.append(verdict)
    for words, is_held_out in (("used for tuning", False), ("held out", True)):
        part = [verdict for verdict in verdicts if verdict.program.is_held_out == is_held_out]
        if part:
            print("%s, Python %s: %s" % (words, python, summary(part)))
    return 0 if all(verdict.is_right for verdict in verdicts) else 1


if __name__ == "__main__":
    sys.exit(main())
