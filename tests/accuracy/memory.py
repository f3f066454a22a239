# SPDX-License-Identifier: Apache-2.0
"""What the truth tests of memory have in common: fields of lines, and how far one may be off.

A line's bytes come with the half-width of their 95 % interval. Taken as normal, 2.5 of these are
exceeded once in a million: that is the chance of a figure that has a stated error.
"""

import functools
import os
import subprocess
import tempfile

import truth

Z = 4.9
Z_STATED = 1.96
LARGE_MB = 100.0
DISTANCE_MB = 0.25  # of points, in a program that allocates much


def of_line(observation, line, field):
    return observation.lines.get(line, {}).get(field, 0.0)


def stated_mb(observation, line):
    """How far the line's bytes may be off by what the profile itself says."""
    return Z / Z_STATED * of_line(observation, line, "alloc_error_mb")


def rounding_mb(row):
    """What malloc may add to its blocks: 16 bytes, a page where it maps them."""
    each = row["mb"] * 2**20 / max(1, row["blocks"])
    return row["blocks"] * (16 + (4096 if each >= 2**17 else 0)) / 2**20


def streams_mb(count):
    """Each thread has points of its own. Where one thread's bytes end between two of them is chance: uniform,
    a sixth of a distance squared."""
    return Z * DISTANCE_MB * (count / 6) ** 0.5 if count > 1 else 0.0


def crowded_mb(observation, line):
    """Where the collector was kept from a core for so long that the ring was half full, points are further apart than
    DISTANCE_MB, and the line says so by its error: that of a line whose points fell into blocks of several sizes is
    1.96 times the root of ten ends of a stretch, each uniform. What it states above that is chance."""
    ordinary_mb = Z_STATED * DISTANCE_MB * (10 / 6) ** 0.5
    return Z / Z_STATED * max(0.0, of_line(observation, line, "alloc_error_mb") - ordinary_mb)


def bytes_figures(observation, rows, bar_percent):
    """What lines asked for: within the bar where it is much, and always within the stated error."""
    for row in rows:
        measured = of_line(observation, row["line"], "n_malloc_mb")
        if row.get("python_part") == 0:  # the call itself makes a few objects, which are not meant
            measured *= 1 - of_line(observation, row["line"], "n_python_fraction")
        if row["mb"] >= LARGE_MB:
            by_chance = max(streams_mb(row.get("threads", 1)), crowded_mb(observation, row["line"]))
            yield truth.Figure(row["name"], measured, row["mb"], bar_percent / 100 * row["mb"], by_chance, unit="MB")
        yield truth.Figure("%s, by the stated error" % row["name"], measured, row["mb"], rounding_mb(row),
                           stated_mb(observation, row["line"]), unit="MB")


@functools.lru_cache(maxsize=None)
def native_library():
    folder = tempfile.mkdtemp(prefix="scalene-accuracy-")
    library = os.path.join(folder, "libnative_memory.so")
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-pthread", "-o", library, truth.TARGETS / "native_memory.c"],
                   check=True)
    return library


def with_numpy(python):
    return truth.profiling.with_packages(python, "numpy") or python


def missing_numpy(observation):
    return [] if observation.truth["has_numpy"] else [truth.Figure("numpy, which cannot be had", 100, 0, 0, 0)]
