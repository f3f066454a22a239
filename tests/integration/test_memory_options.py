# SPDX-License-Identifier: Apache-2.0
"""What is asked for is what is measured: memory or not, how finely, leaks or not."""

import pytest
from cli_runner import SCALENE, call
from memory import HELD, LARGE_LINE, assert_seen, of_line

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
    assert abs(of_line(run, "program.py", LARGE_LINE) - 50) <= 1 or window > 50 << 20
    if window <= 65536:
        assert_seen(run, "program.py")


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
while time.perf_counter() < END:
    kept.append(bytearray(200_000))
    work = [bytes(1000) for _ in range(300)]
    time.sleep(0.02)
"""


def test_the_leak_detector_can_be_turned_off(python, program, profile):
    if python.is_system:  # one is enough: it takes a while to be sure of a leak
        text = "import time\nEND = time.perf_counter() + 12" + LEAKING
        found = profile(python, program(text)).profile["files"]
        assert [list(content["leaks"]) for content in found.values()] == [["6"]]
        off = profile(python, program(text), options=["--no-memory-leak-detector"]).profile["files"]
        assert [list(content["leaks"]) for content in off.values()] == [[]]
