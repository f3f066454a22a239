# SPDX-License-Identifier: Apache-2.0
"""Programs whose memory is known, and what a profile says of their lines."""

import glob
import os

import profiling
import pytest

MB = 1 << 20

# Makes 20 MB of small objects and a block of 50 MB, frees the first, and ends with the second.
HELD = """
from itertools import repeat
A, B = b"a" * 15, b"b" * 16
def small():
    return [A + B for _ in repeat(None, 300_000)]
def large():
    return bytearray(50 << 20)
things = small()
block = large()
del things
print(len(block))
"""
SMALL_LINE, LARGE_LINE = 5, 7
SMALL_MB = (64 + 8.9) * 300_000 / MB


def allocator(name):
    """The file of an allocator to be preloaded."""
    found = glob.glob("/usr/lib/*/%s*.so*" % name) + glob.glob("/usr/lib/%s*.so*" % name)
    if not found:
        message = "there is no %s: tools/install-packages test" % name
        pytest.fail(message) if os.environ.get("CI", "") not in ("", "false", "0") else pytest.skip(message)
    return sorted(found)[0]


def of_line(run, file, line, field="n_malloc_mb"):
    return profiling.lines(run.profile, file).get(line, {}).get(field, 0.0)


def holder(run):
    """File and line of what held most when the footprint was highest."""
    lines = [(line["live_at_peak_mb"], path, line["lineno"]) for path, content in run.profile["files"].items()
             for line in content["lines"]]
    return max(lines)[1:] if lines else None


def assert_seen(run, file, small_mb=(0.95 * SMALL_MB, 1.6 * SMALL_MB), large_mb=(49, 51)):
    """Each byte once: what an allocator adds to a small object may be half of it, but nothing doubles."""
    found = of_line(run, file, SMALL_LINE)
    assert small_mb[0] <= found <= small_mb[1], "%.1f MB of small objects" % found
    assert large_mb[0] <= of_line(run, file, LARGE_LINE) <= large_mb[1]
    assert of_line(run, file, SMALL_LINE, "live_at_end_mb") <= 1.0
    assert large_mb[0] <= of_line(run, file, LARGE_LINE, "live_at_end_mb") <= large_mb[1]
    assert of_line(run, file, SMALL_LINE, "live_at_peak_mb") >= small_mb[0]
