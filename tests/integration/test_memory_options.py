# SPDX-License-Identifier: Apache-2.0
"""What is asked for is what is measured: memory or not, how finely, leaks or not."""

import pytest
from cli_runner import SCALENE, call
from memory import HELD, LARGE_LINE, MB, assert_seen, of_line

NONSENSE = ["abc", "-1", "0", "", "1e99", "99999999999999999999999", "12 apples", "0x10", "nan", "inf", "1.5.2"]


@pytest.mark.parametrize("value", NONSENSE)
def test_a_window_that_makes_no_sense_gets_a_sentence(tmp_path, value):
    (tmp_path / "p.py").write_text("print('ran')\n")
    result = call([SCALENE, "run", "--allocation-sampling-window", value, "p.py"], cwd=tmp_path)
    assert result.returncode not in (0, -6, -11)
    assert "ran" not in result.stdout
    assert "--allocation-sampling-window" in result.stderr and len(result.stderr.strip().splitlines()) <= 3
    assert not list(tmp_path.glob("*.json"))


@pytest.mark.parametrize("window", [1024, 4096, 65536, 1 << 20, 10 << 20, 1 << 30])
def test_any_window_gives_bytes_without_bias(python, program, profile, window):
    run = profile(python, program(HELD), options=["--allocation-sampling-window", str(window)])
    assert run.status == 0, run.stderr
    lost = run.profile["quality"]["memory_samples_lost"]
    assert lost == 0 or window <= 4096
    assert abs(of_line(run, "program.py", LARGE_LINE) - 50) <= 1 or window > 50 << 20
    # So many points fill the ring where the collector has to wait for a core: told, and not made up for.
    if window <= 65536 and not lost:
        assert_seen(run, "program.py")


UNREAD = """
import os, signal, time
scalene = os.getppid()
%sos.kill(scalene, signal.SIGSTOP)  # as if it had no core to run on
small = [bytes(2000) for _ in range(200_000)]
large = bytearray(50 << 20)  # the large one
os.kill(scalene, signal.SIGCONT)
time.sleep(0.3)  # if that is too short to read the ring, the next line is not seen, and has no more than it should
later = [bytes(100) for _ in range(2_000)]  # after it
"""
LATER_MB = 2_000 * (144 + 8.9) / MB


# So many that are followed that some are followed no longer, which has to be told of each.
MANY = "many = [b'%d' % number for number in range(400_000)]\n"


@pytest.mark.parametrize("before", ["", MANY], ids=["small ones", "small ones and what is told of others"])
def test_a_large_block_has_room_in_a_ring_that_was_filled(python, program, profile, before):
    text = UNREAD % before
    run = profile(python, program(text), options=["--allocation-sampling-window", "1024"])
    assert run.profile["quality"]["memory_samples_lost"] > 0
    large, later = (1 + number for number, line in enumerate(text.splitlines()) if line.endswith(("one", "after it")))
    assert abs(of_line(run, "program.py", large) - 50) <= 1
    # What found no room is nobody's: not the next one's, but part of the whole.
    assert of_line(run, "program.py", later) <= 1.1 * LATER_MB + 0.1
    assert any("not known by which lines" in note for note in run.profile["quality"]["notes"])
    assert run.profile["totals"]["malloc_mb"] >= 380 + 50


def test_memory_is_measured_by_default(python, program, profile):
    run = profile(python, program(HELD))
    assert run.profile["memory"] is True
    assert_seen(run, "program.py")


def test_memory_alone_is_with_cpu(python, program, profile):
    run = profile(python, program(HELD), options=["--memory"])
    assert_seen(run, "program.py")
    assert run.profile["totals"]["cpu_python_s"] + run.profile["totals"]["cpu_native_s"] > 0


def test_cpu_only_measures_no_memory(python, program, profile):
    run = profile(python, program(HELD), options=["--cpu-only"])
    assert run.profile["memory"] is False
    assert run.profile["max_footprint_mb"] == 0 and not run.profile["samples"]
    assert all(line["n_malloc_mb"] == 0 for content in run.profile["files"].values() for line in content["lines"])


LEAKING = """
import time
kept = []
start = time.perf_counter()
for number in range(600):
    time.sleep(max(0, start + number / 50 - time.perf_counter()))  # who is late makes up for it: a leak is even
    kept.append(bytearray(200_000))
    work = [bytes(1000) for _ in range(300)]
"""


def leaks_of(run):
    return [list(content["leaks"]) for content in run.profile["files"].values()]


def test_the_leak_detector_can_be_turned_off(python, program, profile):
    if python.is_system:  # one is enough: it takes a while to be sure of a leak
        found = profile(python, program(LEAKING))
        assert leaks_of(found) == [["7"]]
        assert "Scalene: program.py:7 seems to leak: " in found.stderr
        off = profile(python, program(LEAKING), options=["--no-memory-leak-detector"])
        assert leaks_of(off) == [[]] and "seems to leak" not in off.stderr
