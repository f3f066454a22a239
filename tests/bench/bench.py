#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What profiling costs: the ratio of profiled to bare runs, taken in pairs.

On a shared machine one ratio of wall times is good to some 10 %, whatever is compared. So each pair is
run twice: one after the other for wall time, which shows mistakes only, and side by side on one core,
where the scheduler alternates between the two every few milliseconds, for CPU time. Such pairs are
taken until half the 95 % interval of the median CPU ratio is below --precision, or the time is up.
Last comes what does not depend on the machine's mood at all: the agent's parts in processor cycles.
"""

import argparse
import json
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import cycles
import runs
import statistics_of_pairs as pairs
from programs import LOOPS, TEN

LEAST_PAIRS = 6  # fewer have no 95 % interval at all
WALL_PAIRS = 3  # where there are pairs side by side, which say more in less time
START_UP_PRECISION_S = 0.001
PACKAGES = ["pyperformance", "sympy", "docutils"]


class Series:
    """All runs of one program under one profiler, with the bare runs around them."""

    def __init__(self, program, profiler):
        self.program = program
        self.profiler = profiler
        self.bare = []
        self.profiled = []
        self.cpu_ratios = []  # side by side
        self.failure = None

    def values(self, name):
        return [run[name] for run in self.bare], [run[name] for run in self.profiled]

    def wall_ratios(self):
        return pairs.ratios(*self.values("wall_s"))

    def is_done(self, precision):
        if self.failure:
            return True
        if max(len(self.profiled), len(self.cpu_ratios)) < LEAST_PAIRS:
            return False
        if self.program == "pass":  # what counts is how much start-up takes, not how many times
            return pairs.half_width(pairs.differences(*self.values("wall_s"))) < START_UP_PRECISION_S
        return pairs.half_width(self.cpu_ratios or self.wall_ratios()) < precision

    def take_pair(self, python, scratch, options):
        has_cpu = self.profiler == "ours" and self.program != "pass"
        try:
            if not has_cpu or len(self.profiled) < WALL_PAIRS:
                self.take_alternating(python, LOOPS[self.program], scratch, options)
            if has_cpu:
                bare, ours = runs.side_by_side(python, self.program, LOOPS[self.program], scratch, options,
                                               profiled_first=len(self.cpu_ratios) % 2)
                self.cpu_ratios.append(ours / bare)
        except runs.Failed as failure:
            self.failure = str(failure)

    def take_alternating(self, python, loops, scratch, options):
        if not self.bare:
            runs.timed("bare", python, self.program, loops, scratch)  # fills caches and .pyc files
            self.bare.append(runs.timed("bare", python, self.program, loops, scratch))
        profiled = runs.timed(self.profiler, python, self.program, loops, scratch, options)
        self.bare.append(runs.timed("bare", python, self.program, loops, scratch))
        self.profiled.append(profiled)

    def summary(self):
        """Numbers for the table, None where there are none."""
        if not self.profiled:
            return {"program": self.program, "profiler": self.profiler, "failure": self.failure}
        wall = self.wall_ratios()
        width = pairs.half_width(wall)
        result = {
            "program": self.program, "profiler": self.profiler, "failure": self.failure, "pairs": max(len(wall), len(self.cpu_ratios)),
            "ratio": statistics.median(wall), "half_width": pairs.finite(width),
            "cpu_ratio": statistics.median(self.cpu_ratios) if self.cpu_ratios else None,
            "cpu_half_width": pairs.finite(pairs.half_width(self.cpu_ratios)) if self.cpu_ratios else None,
            "added_ms": 1000 * statistics.median(pairs.differences(*self.values("wall_s"))),
            "added_mb": statistics.median(pairs.differences(*self.values("peak_mb"))),
            "ratios": wall, "cpu_ratios": self.cpu_ratios,
        }
        if self.profiler == "ours":
            for name, key in (("beside", "own_cpu_beside_s"), ("inside", "own_cpu_in_program_s")):
                shares = [run[key] / run["cpu_s"] for run in self.profiled]
                result[name + "_percent"] = 100 * statistics.median(shares)
        return result


def environment(python, peers):
    """An interpreter that has the programs, and the other profilers if asked for."""
    wanted = PACKAGES + [runs.PEERS[peer][0] for peer in peers]
    command = [runs.ROOT / "tools" / "test-venv", python, *dict.fromkeys(wanted)]
    result = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, text=True)
    if result.returncode:
        sys.exit("bench: no environment for %s with %s" % (python, " ".join(wanted)))
    return result.stdout.strip()


def measure(series, python, options):
    """Round after round over all that is not precise enough yet, so that drift hits all alike."""
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="scalene-bench-"))
    deadline = time.monotonic() + 60 * options.minutes
    try:
        while time.monotonic() < deadline:
            open_ones = [one for one in series if not one.is_done(options.precision)]
            if not open_ones:
                break
            for one in open_ones:
                if time.monotonic() < deadline:
                    one.take_pair(python, scratch, options.options.split())
            print("%d of %d to go" % (sum(not one.is_done(options.precision) for one in series), len(series)),
                  file=sys.stderr)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def count_cycles(python, options):
    """One run each of a build that counts: see cycles.py."""
    cycles.build()
    with tempfile.TemporaryDirectory(prefix="scalene-bench-") as scratch:
        for program in options.programs:
            yield cycles.measure(python, program, LOOPS[program], pathlib.Path(scratch), options.options.split())


COLUMNS = [("cpu_ratio", "CPU ratio", "%.3f"), ("cpu_half_width", "+-", "%.3f"), ("ratio", "wall", "%.3f"),
           ("half_width", "+-", "%.3f"), ("pairs", "pairs", "%d"), ("added_ms", "added ms", "%.1f"), ("added_mb", "added MB", "%.1f"),
           ("inside_percent", "inside %", "%.2f"), ("beside_percent", "beside %", "%.2f")]


def table(summaries):
    yield "%-20s %-13s" % ("program", "profiler") + "".join("%10s" % title for _, title, _ in COLUMNS)
    for row in summaries:
        cells = "".join("%10s" % (form % row[key] if row.get(key) is not None else "-") for key, _, form in COLUMNS)
        yield "%-20s %-13s%s" % (row["program"], row["profiler"], cells)
        if row.get("failure"):
            yield "    " + row["failure"].strip().splitlines()[-1]


def overall(series):
    """Over the ten programs, for each profiler and clock: the median of medians and the worst."""
    for profiler in dict.fromkeys(one.profiler for one in series):
        ten = [one for one in series if one.profiler == profiler and one.program in TEN and one.profiled]
        for clock, ratios in (("CPU", lambda one: one.cpu_ratios), ("wall", Series.wall_ratios)):
            samples = {one.program: ratios(one) for one in ten if ratios(one)}
            if samples:
                middle, width = pairs.median_of_medians(list(samples.values()))
                worst = max(samples, key=lambda name: statistics.median(samples[name]))
                yield {"profiler": profiler, "clock": clock, "programs": len(samples), "median": middle,
                       "half_width": width, "worst": statistics.median(samples[worst]), "worst_program": worst}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", default=shutil.which("python3"), help="which interpreter")
    parser.add_argument("--programs", default=",".join(LOOPS), help="of: " + " ".join(LOOPS))
    parser.add_argument("--peers", default="", help="of: " + " ".join(runs.PEERS))
    parser.add_argument("--minutes", type=float, default=20, help="time limit (20)")
    parser.add_argument("--precision", type=float, default=0.02, help="half-width to reach (0.02)")
    parser.add_argument("--options", default="--cpu-only", help="for scalene run (--cpu-only)")
    parser.add_argument("--out", default=str(runs.BUILD / "bench.json"), help="where the figures go")
    options = parser.parse_args()
    options.programs = [name for name in options.programs.split(",") if name]
    options.peers = [name for name in options.peers.split(",") if name]
    unknown = set(options.programs) - set(LOOPS) | set(options.peers) - set(runs.PEERS)
    if unknown:
        parser.error("unknown: " + " ".join(sorted(unknown)))
    return options


def main():
    options = arguments()
    python = environment(options.python, options.peers)
    peers = [peer for peer in options.peers if runs.is_installed(peer, python)]
    for peer in set(options.peers) - set(peers):
        print("bench: %s is not installed for this Python" % peer, file=sys.stderr)
    series = [Series(program, profiler) for program in options.programs for profiler in ["ours", *peers]]
    measure(series, python, options)
    summaries = [one.summary() for one in series]
    totals = list(overall(series))
    print("\n".join(table(summaries)))
    for total in totals:
        print("%(profiler)s, %(clock)s: median of %(programs)d programs %(median).3f +- %(half_width).3f, "
              "worst %(worst).3f (%(worst_program)s)" % total)
    counted = list(count_cycles(python, options))
    print("")
    print("In processor cycles, as part of the program's CPU time:")
    print("\n".join(line for row in counted for line in cycles.lines(row)))
    result = {"python": options.python, "options": options.options, "programs": summaries, "totals": totals,
              "cycles": counted}
    pathlib.Path(options.out).write_text(json.dumps(result, indent=1) + "\n")
    untold = [row["program"] for row in counted if row["program"] != "pass" and not cycles.is_told(row)]
    if untold:
        print("bench: the profile's own_cpu_in_program_s is off by more than a factor of two: " + ", ".join(untold))
    return 1 if untold or any(one.failure for one in series) else 0


if __name__ == "__main__":
    sys.exit(main())
