# SPDX-License-Identifier: Apache-2.0
"""Options that change what is measured or listed do so, from the line and from the file."""

import json
import os

import pytest
from cli_runner import run, write

HELPER = """
def busy():
    total = 0
    for i in range(2_500_000):
        total += i * i
    return total
"""
PROGRAM = """
import statistics, sys, time
from pkg import helper
sys.path.append(ELSEWHERE)
import other
def own():
    total = 0
    for i in range(2_500_000):
        total += i * i
    return total
own()
helper.busy()
other.busy()
statistics.variance(range(200_000))
time.sleep(0.2)
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    top = tmp_path_factory.mktemp("effects")
    folder = top / "a" / "b" / "project"
    write(folder, "p.py", PROGRAM.replace("ELSEWHERE", repr(str(top / "lib"))))
    write(folder, "pkg/__init__.py", "")
    write(folder, "pkg/helper.py", HELPER)
    write(top, "lib/other.py", HELPER)
    return folder


def profile(project, *options):
    result = run(*options, "-o", "out", "p.py", cwd=project)
    assert result.returncode == 0, result.stderr
    return json.loads((project / "out.json").read_text())


def listed(profile_):
    return {os.path.basename(path) for path in profile_["files"]}


def test_the_programs_own_files_are_listed(project):
    assert listed(profile(project)) == {"p.py", "helper.py"}


def test_profile_all(project):
    assert {"p.py", "helper.py", "other.py", "statistics.py"} <= listed(
        profile(project, "--profile-all", "--cpu-percent-threshold", "0"))


def test_profile_only_and_exclude(project):
    assert listed(profile(project, "--profile-only", "helper")) == {"helper.py"}
    assert listed(profile(project, "--profile-exclude", "helper, nothing")) == {"p.py"}
    write(project, "c.yaml", "profile-only: [pkg/helper]\n")
    assert listed(profile(project, "-c", "c.yaml")) == {"helper.py"}


def test_program_path(project):
    other = project.parents[2] / "lib"
    assert listed(profile(project, "--program-path", other)) == {"p.py", "other.py"}


def test_the_threshold(project):
    # What waited is listed all the same.
    assert listed(profile(project, "--cpu-percent-threshold", "99")) == {"p.py"}


def kinds_of_frames(profile_):
    return {frame["kind"] for stack in profile_["combined_stacks"] for frame in stack[0]}


def test_native_stacks_can_be_left_out(project):
    assert kinds_of_frames(profile(project)) == {"py", "native"}
    assert "native" not in kinds_of_frames(profile(project, "--no-stacks"))


def test_virtual_time_leaves_waiting_out(project):
    assert profile(project)["totals"]["idle_s"] > 0.15
    totals = profile(project, "--use-virtual-time")["totals"]
    assert totals["idle_s"] == 0
    assert sum(totals["wait_s"].values()) == 0


@pytest.mark.parametrize("interval_s", [0.05, 0.002])
def test_the_sampling_rate(project, interval_s):
    """How many there are the machine decides, where one stands for several windows. All together they stand for the CPU
    time, but for a window at either end and one that the last may stand for too many, and for the interpreter's end."""
    found = profile(project, "--cpu-sampling-rate", interval_s)
    quality, totals = found["quality"], found["totals"]
    interval = quality["sampling_interval_s"]
    cpu_s = totals["cpu_python_s"] + totals["cpu_native_s"] + totals["cpu_system_s"]
    assert interval["asked"] == interval_s <= interval["reached"]
    assert abs(quality["cpu_samples"] * interval["reached"] - cpu_s) <= 3 * interval_s + 0.1 * cpu_s


def test_memory_is_profiled_unless_told_otherwise(project):
    everything = profile(project)
    assert everything["memory"] is True
    assert everything["max_footprint_mb"] > 0 and everything["quality"]["memory_samples"] > 0
    assert profile(project, "--memory")["memory"] is True
    cpu_only = profile(project, "--cpu-only")
    assert cpu_only["memory"] is False
    assert cpu_only["max_footprint_mb"] == 0 and cpu_only["quality"]["memory_samples"] == 0


def test_the_allocation_window(project):
    few = profile(project, "--allocation-sampling-window", "1000000")["quality"]
    many = profile(project, "--allocation-sampling-window", "20000")["quality"]
    assert many["memory_samples"] > 5 * few["memory_samples"]


def test_off_measures_nothing_and_says_so(project):
    found = profile(project, "--off")
    assert found["files"] == {}
    assert any("--off" in note for note in found["quality"]["notes"])


def test_compilers_are_turned_off_unless_the_user_says_otherwise(tmp_path):
    names = ("JAX_DISABLE_JIT", "PYTORCH_JIT", "PYTHON_JIT")
    write(tmp_path, "p.py", "import os\nprint(*(os.environ.get(name) for name in %r))\n" % (names,))
    bare = {name: value for name, value in os.environ.items() if name not in names}
    assert run("p.py", cwd=tmp_path, env=bare).stdout == "None None None\n"
    assert run("--disable-jit", "p.py", cwd=tmp_path, env=bare).stdout == "1 0 0\n"
    said = {**bare, "JAX_DISABLE_JIT": "0", "PYTORCH_JIT": "1"}
    assert run("--disable-jit", "p.py", cwd=tmp_path, env=said).stdout == "0 1 0\n"
