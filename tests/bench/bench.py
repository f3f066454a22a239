#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What profiling costs: the ratio of profiled to bare runs, taken in pairs.

On a shared machine one ratio of wall times is good to some 10 %, whatever is compared. So each pair is
run twice: one after the other for wall time, which shows mistakes only, and side by side on one core,
where the scheduler alternates between the two every few milliseconds, for CPU time. Such pairs are
taken until half the 95 % interval of the median CPU ratio is below --precision, or the time is up.
Then come loops: how late they wake up, how many requests a server answers. Last comes what does not depend on the
machine's mood at all: the agent's parts in processor cycles.

Each program is measured with each --options: by default with --cpu-only, and with everything on. Six pairs
of each, the least that have an interval, take some 20 minutes where a core is free; if the time was too
short for that, the last lines say how long it would have taken. A bar that is missed (bars.py) is a failure.
"""

import argparse
import collections
import json
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import bars
import cycles
import loops
import runs
import statistics_of_pairs as pairs
from programs import COPYING, HEAVY, LOOPS, TEN

LEAST_PAIRS = 6  # fewer have no 95 % interval at all
WALL_PAIRS = 1  # where there are pairs side by side, which say more in less time
START_UP_PRECISION_S = 0.001
PACKAGES = ["pyperformance", "sympy", "docutils", "numpy"]
ON_REQUEST = {"jax": "jax", "torch": "torch"}  # programs whose packages are large, and these


class Series:
    """All runs of one program under one profiler, with the bare runs around them."""

    def __init__(self, program, profiler, options=""):
        self.program = program
        self.profiler = profiler
        self.options = options.split()
        self.name = profiler if profiler != "ours" else "ours, " + (options or "all on")
        self.bare = []
        self.profiled = []
        self.cpu_ratios = []  # side by side
        self.failure = None

    def values(self, name):
        return [run[name] for run in self.bare], [run[name] for run in self.profiled]

    def pair_count(self):
        return max(len(self.profiled), len(self.cpu_ratios))

    def wall_ratios(self):
        return pairs.ratios(*self.values("wall_s"))

    def is_done(self, precision):
        if self.failure:
            return True
        if self.pair_count() < LEAST_PAIRS:
            return False
        if self.program == "pass":  # what counts is how much start-up takes, not how many times
            return pairs.half_width(pairs.differences(*self.values("wall_s"))) < START_UP_PRECISION_S
        return pairs.half_width(self.cpu_ratios or self.wall_ratios()) < precision

    def take_pair(self, python, scratch):
        has_cpu = self.profiler == "ours" and self.program != "pass"
        try:
            if not has_cpu or len(self.profiled) < WALL_PAIRS:
                self.take_alternating(python, LOOPS[self.program], scratch)
            if has_cpu:
                bare, ours = runs.side_by_side(python, self.program, LOOPS[self.program], scratch, self.options,
                                               profiled_first=len(self.cpu_ratios) % 2)
                self.cpu_ratios.append(ours / bare)
        except runs.Failed as failure:
            self.failure = str(failure)

    def take_alternating(self, python, loops, scratch):
        if not self.bare:
            runs.timed("bare", python, self.program, loops, scratch)  # fills caches and .pyc files
            self.bare.append(runs.timed("bare", python, self.program, loops, scratch))
        profiled = runs.timed(self.profiler, python, self.program, loops, scratch, self.options)
        self.bare.append(runs.timed("bare", python, self.program, loops, scratch))
        self.profiled.append(profiled)

    def summary(self):
        """Numbers for the table, None where there are none."""
        if not self.profiled:
            return {"program": self.program, "profiler": self.name, "failure": self.failure}
        wall = self.wall_ratios()
        width = pairs.half_width(wall)
        result = {
            "program": self.program, "profiler": self.name, "failure": self.failure,
            "pairs": self.pair_count(),
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


def environment(python, programs, peers):
    """An interpreter that has the programs, and the other profilers if asked for."""
    wanted = PACKAGES + [ON_REQUEST[name] for name in programs if name in ON_REQUEST]
    wanted += [runs.PEERS[peer][0] for peer in peers]
    command = [runs.ROOT / "tools" / "test-venv", python, *dict.fromkeys(wanted)]
    result = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, text=True)
    if result.returncode:
        sys.exit("bench: no environment for %s with %s" % (python, " ".join(wanted)))
    return result.stdout.strip()


def measure(series, python, options):
    """Round after round over all that is not precise enough yet, so that drift hits all alike.

    Minutes that it would take to have an interval of each.
    """
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="scalene-bench-"))
    start = time.monotonic()
    deadline = start + 60 * options.minutes
    try:
        while time.monotonic() < deadline:
            open_ones = [one for one in series if not one.is_done(options.precision)]
            if not open_ones:
                break
            for one in open_ones:
                if time.monotonic() < deadline:
                    one.take_pair(python, scratch)
            print("%d of %d to go" % (sum(not one.is_done(options.precision) for one in series), len(series)),
                  file=sys.stderr)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    taken = sum(min(one.pair_count(), LEAST_PAIRS) for one in series)
    return (time.monotonic() - start) / 60 * LEAST_PAIRS * len(series) / max(taken, 1)


def count_cycles(python, options):
    """One run each of a build that counts: see cycles.py."""
    cycles.build()
    with tempfile.TemporaryDirectory(prefix="scalene-bench-") as scratch:
        for program in options.programs:
            yield cycles.measure(python, program, LOOPS[program], pathlib.Path(scratch), options.options[-1].split())


COLUMNS = [("cpu_ratio", "CPU ratio", "%.3f"), ("cpu_half_width", "+-", "%.3f"), ("ratio", "wall", "%.3f"),
           ("half_width", "+-", "%.3f"), ("pairs", "pairs", "%d"), ("added_ms", "added ms", "%.1f"), ("added_mb", "added MB", "%.1f"),
           ("inside_percent", "inside %", "%.2f"), ("beside_percent", "beside %", "%.2f")]


def table(summaries):
    yield "%-20s %-16s" % ("program", "profiler") + "".join("%10s" % title for _, title, _ in COLUMNS)
    for row in summaries:
        cells = "".join("%10s" % (form % row[key] if row.get(key) is not None else "-") for key, _, form in COLUMNS)
        yield "%-20s %-16s%s" % (row["program"], row["profiler"], cells)
        if row.get("failure"):
            yield "    " + row["failure"].strip().splitlines()[-1]


def overall(series):
    """Over the ten programs, for each profiler and clock: the median of medians and the worst."""
    for profiler in dict.fromkeys(one.name for one in series):
        ten = [one for one in series if one.name == profiler and one.program in TEN and one.profiled]
        for clock, ratios in (("CPU", lambda one: one.cpu_ratios), ("wall", Series.wall_ratios)):
            samples = {one.program: ratios(one) for one in ten if ratios(one)}
            if samples:
                middle, width = pairs.median_of_medians(list(samples.values()))
                worst = max(samples, key=lambda name: statistics.median(samples[name]))
                yield {"profiler": profiler, "clock": clock, "programs": len(samples), "median": middle,
                       "half_width": width, "worst": statistics.median(samples[worst]), "worst_program": worst}


def conclusion(judged, series, minutes):
    counts = collections.Counter(bar.verdict() for bar in judged)
    yield "bars: %d met, %d missed, %d not judged" % (counts["met"], counts["missed"], counts["not judged"])
    few = sum(one.pair_count() < LEAST_PAIRS for one in series)
    if few:
        yield "bench: %d of %d have fewer than %d pairs, and no interval: --minutes %.0f would do" % (
            few, len(series), LEAST_PAIRS, minutes + 1)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", default=shutil.which("python3"), help="which interpreter")
    parser.add_argument("--programs", default=",".join(name for name in LOOPS if name not in ON_REQUEST),
                        help="of: " + " ".join(LOOPS))
    parser.add_argument("--peers", default="", help="of: " + " ".join(runs.PEERS))
    parser.add_argument("--minutes", type=float, default=40, help="time limit (40)")
    parser.add_argument("--precision", type=float, default=0.02, help="half-width to reach (0.02)")
    parser.add_argument("--options", action="append", help="for scalene run, several times if wished (--cpu-only; none)")
    parser.add_argument("--out", default=str(runs.BUILD / "bench.json"), help="where the figures go")
    options = parser.parse_args()
    options.options = options.options or ["--cpu-only", ""]
    options.programs = [name for name in options.programs.split(",") if name]
    options.peers = [name for name in options.peers.split(",") if name]
    unknown = set(options.programs) - set(LOOPS) | set(options.peers) - set(runs.PEERS)
    if unknown:
        parser.error("unknown: " + " ".join(sorted(unknown)))
    return options


def main():
    options = arguments()
    python = environment(options.python, options.programs, options.peers)
    peers = [peer for peer in options.peers if runs.is_installed(peer, python)]
    for peer in set(options.peers) - set(peers):
        print("bench: %s is not installed for this Python" % peer, file=sys.stderr)
    series = [Series(program, "ours", words) for program in options.programs for words in options.options
              if words != "--cpu-only" or program not in HEAVY + COPYING]
    series += [Series(program, peer) for program in options.programs for peer in peers]
    minutes = measure(series, python, options)
    summaries = [one.summary() for one in series]
    totals = list(overall(series))
    print("\n".join(table(summaries)))
    for total in totals:
        print("%(profiler)s, %(clock)s: median of %(programs)d programs %(median).3f +- %(half_width).3f, "
              "worst %(worst).3f (%(worst_program)s)" % total)
    judged = list(bars.of_series(series, totals))
    if any(name.startswith("async_") for name in options.programs):
        judged += loops.measure(options.python)
    print("\n".join(map(str, judged)))
    counted = list(count_cycles(python, options))
    print()
    print("In processor cycles, as part of the program's CPU time:")
    print("\n".join(line for row in counted for line in cycles.lines(row)))
    result = {"python": options.python, "options": options.options, "programs": summaries, "totals": totals,
              "cycles": counted}
    pathlib.Path(options.out).write_text(json.dumps(result, indent=1) + "\n")
    untold = [row["program"] for row in counted if row["program"] != "pass" and not cycles.is_told(row)]
    if untold:
        print("bench: the profile's own_cpu_in_program_s is off by more than a factor of two: " + ", ".join(untold))
    print("\n".join(conclusion(judged, series, minutes)))
    is_missed = any(bar.verdict() == "missed" for bar in judged)
    return 1 if is_missed or untold or any(one.failure for one in series) else 0


if __name__ == "__main__":
    sys.exit(main())
