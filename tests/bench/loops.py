# SPDX-License-Identifier: Apache-2.0
"""How prompt event loops are under the profiler: bare and profiled runs in turn, judged by the pairs' median."""

import pathlib
import statistics
import subprocess
import tempfile

import bars
import runs
import statistics_of_pairs as pairs

PAIRS = 8
LATENCY_RATIO, LATENCY_MS = 1.05, 0.2
THROUGHPUT_RATIO = 0.95
PROGRAM = runs.HERE / "loop_programs.py"


def figure(python, name, is_profiled):
    with tempfile.TemporaryDirectory(prefix="scalene-bench-") as scratch:
        before = runs.words_before("ours" if is_profiled else "bare", python, pathlib.Path(scratch) / "profile.json",
                                   ["--no-profile-children"] if is_profiled else [])
        run = subprocess.run([str(word) for word in [*before, PROGRAM, name]], stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=runs.LIMIT_S)
    if run.returncode:
        raise runs.Failed("%s: %s" % (name, run.stderr[-400:]))
    return float(run.stdout)


def figures(python, name):
    """Of bare runs, and of those after each under the profiler."""
    return zip(*[(figure(python, name, False), figure(python, name, True)) for _ in range(PAIRS)])


def server_python(python):
    made = subprocess.run([str(runs.ROOT / "tools" / "test-venv"), python, "aiohttp"], stdout=subprocess.PIPE, text=True)
    return None if made.returncode else made.stdout.strip()


def told(name, bare, ours, unit):
    return "%s: %.2f %s, bare %.2f (medians of %d)" % (name, statistics.median(ours), unit, statistics.median(bare), PAIRS)


def measure(python):
    """Tells each figure to a person, and returns the bars."""
    bare, ours = figures(python, "wakeups")
    print(told("wake-ups of a loop beside a busy thread, 99th percentile", bare, ours, "ms"))
    late = [mine - LATENCY_RATIO * other for other, mine in zip(bare, ours)]
    judged = [bars.Bar("wake-ups, later than 1.05 of bare", LATENCY_MS, pairs.interval(late), " ms")]
    server = server_python(python)
    if server is None:
        print("requests to a server: aiohttp cannot be had for %s" % python)
        return judged
    bare, ours = figures(server, "server")
    print(told("requests to a server", bare, ours, "a second"))
    ratios = [other / mine for other, mine in zip(bare, ours)]
    return [*judged, bars.Bar("server, bare to profiled", 1 / THROUGHPUT_RATIO, pairs.interval(ratios))]
