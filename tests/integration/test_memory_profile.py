# SPDX-License-Identifier: Apache-2.0
"""The fields of memory agree with each other and keep to their bounds."""

import re

import pytest
from memory import HELD, LARGE_LINE, MB, SMALL_LINE, SMALL_MB, holder, of_line
from profiling import key_pythons, lines

TEXT = """
import time, itertools
def build(n):
    return [bytes(1000) for _ in itertools.repeat(None, n)]
def keep():
    return bytearray(60_000_000)
def grow():
    rows = []
    for _ in range(20):
        rows.append(build(2_000))
        time.sleep(0.01)
    return rows
first = grow()
block = keep()
copies = [bytes(block) for _ in range(3)]
del copies
time.sleep(0.2)
"""


@pytest.fixture(scope="module")
def runs():
    return {}


@pytest.fixture
def run(python, program, profile, runs):
    """One run an interpreter for all tests here."""
    if python.id not in runs:
        runs[python.id] = profile(python, program(TEXT))
        assert runs[python.id].status == 0, runs[python.id].stderr
    return runs[python.id]


def records(run):
    for content in run.profile["files"].values():
        yield from content["lines"]
        yield from content["functions"]


def test_records_are_possible(run):
    for record in records(run):
        assert 0 <= record["n_avg_mb"] <= record["n_peak_mb"] * 1.000001
        assert record["n_growth_mb"] == record["n_peak_mb"]
        assert 0 <= record["n_python_fraction"] <= 1 and 0 <= record["n_usage_fraction"] <= 1
        assert 0 <= record["live_at_end_mb"] <= record["n_peak_mb"] * 1.000001 + 0.1
        assert record["live_at_peak_mb"] <= record["n_peak_mb"] * 1.000001 + 0.1
        assert record["n_peak_mb"] <= record["n_malloc_mb"] * 1.000001 + 0.1
        assert record["n_mallocs"] == round(record["alloc_count"])
        assert record["alloc_error_mb"] >= 0


def test_timelines_are_ordered_and_bounded(run):
    for record in [*records(run), {"memory_samples": run.profile["samples"]}]:
        points = record["memory_samples"]
        assert len(points) <= 500
        assert [time for time, _ in points] == sorted(time for time, _ in points)
        assert all(mb >= 0 for _, mb in points)
    assert max(mb for _, mb in run.profile["samples"]) <= run.profile["max_footprint_mb"] * 1.001
    assert max(mb for _, mb in run.profile["samples"]) >= run.profile["max_footprint_mb"] * 0.98


def test_usage_is_a_share_of_all(run):
    total = sum(line["n_usage_fraction"] for line in lines(run.profile, "program.py").values())
    assert 0.9 <= total <= 1.000001


def test_the_peak_has_its_line_and_its_holders(run):
    assert run.profile["max_footprint_fname"].endswith("program.py")
    assert run.profile["max_footprint_lineno"] in (6, 15)
    assert holder(run)[1] == 15
    assert abs(of_line(run, "program.py", 15, "live_at_peak_mb") - 3 * 60_000_000 / MB) <= 4
    assert abs(of_line(run, "program.py", 6, "live_at_peak_mb") - 60_000_000 / MB) <= 2
    assert of_line(run, "program.py", 15, "live_at_end_mb") <= 1


def test_counts_are_estimates_of_what_was_made(run):
    made = 40_000
    count = of_line(run, "program.py", 4, "alloc_count")
    assert 0.9 * made <= count <= 1.15 * made, count


def test_functions_are_the_sum_of_their_lines(run):
    functions = {record["line"]: record for content in run.profile["files"].values()
                 for record in content["functions"]}
    assert abs(functions["build"]["n_malloc_mb"] - of_line(run, "program.py", 4)) <= 0.1
    assert abs(functions["keep"]["n_malloc_mb"] - of_line(run, "program.py", 6)) <= 0.1


def test_stacks_name_the_callers(run):
    stacks = run.profile["memory_stacks"]
    assert stacks
    chains = [(tuple(dict.fromkeys(frame["line"] for frame in frames  # a comprehension may be a frame of its own
                                   if frame["filename_or_module"].endswith("program.py"))), mb)
              for frames, mb in stacks]
    assert sum(mb for chain, mb in chains if chain == (13, 10, 4)) >= 35
    assert sum(mb for _, mb in stacks) <= 1.05 * sum(line["n_malloc_mb"] for content in run.profile["files"].values()
                                                     for line in content["lines"]) + 5


def test_quality_tells_of_the_samples(run):
    quality = run.profile["quality"]
    assert quality["memory_samples"] > 50
    assert quality["memory_samples_lost"] == 0
    assert run.profile["alloc_samples"] > 0


def test_the_stacks_that_allocated_most_are_written_and_what_the_others_have_is_told(profile, program):
    """From 1,500 lines, the first thousand of them with a megabyte each, the others with half of one."""
    text = "held = [\n%s]\n" % "".join("    bytearray(%d),\n" % (MB if i < 1000 else MB // 2) for i in range(1500))
    written = profile(key_pythons()[-1], program(text)).profile
    sizes = [size_mb for _, size_mb in written["memory_stacks"]]
    assert len(sizes) == 1000 and all(size_mb == pytest.approx(1, rel=0.1) for size_mb in sizes)
    notes = "\n".join(written["quality"]["notes"])
    left_out_mb, = re.findall(r"the 1000 stacks that allocated most; the other \d+ allocated (\d+) MB", notes)
    assert float(left_out_mb) == pytest.approx(250, rel=0.1)


BESIDE = """
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
text = "import sys\\nsys.path.insert(0, %r)\\nimport held\\nmore = bytearray(30 << 20)\\n"
interpreters.run_string(interpreters.create(), text)
"""


def test_memory_of_another_interpreter_is_on_its_lines(python, program, profile, tmp_path):
    """Text that it is given is in no file: only the stacks have it."""
    program(HELD, "held.py")
    run = profile(python, program(BESIDE % str(tmp_path)))
    assert run.status == 0, run.stderr
    assert 0.95 * SMALL_MB <= of_line(run, "held.py", SMALL_LINE) <= 1.6 * SMALL_MB
    assert abs(of_line(run, "held.py", LARGE_LINE) - 50) <= 1
    names = "<string>", "<script>"  # the second from 3.14 on
    texts = [mb for frames, mb in run.profile["memory_stacks"] if frames[-1]["filename_or_module"] in names]
    assert abs(sum(texts) - 30) <= 1
