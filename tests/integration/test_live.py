# SPDX-License-Identifier: Apache-2.0
"""Profiling that a running program starts and stops by itself: scalene._live."""

import concurrent.futures
import json
import os
import signal
import subprocess

import live
import profiling
import pytest

WINDOW_S = 0.01  # of CPU time: in each there is one point, so that a stretch is found but for its two ends
STORM_S = 30 if os.environ.get("SCALENE_TEST_ALL") else 4
STATED = 4.9 / 1.96  # half-widths of a 95 % interval, which a normal variable leaves once in a million
WALK_IN_S = 0.004  # a thread that runs already is told at the kernel's next tick


def assert_near(found, true, slack, part=0.02):
    assert abs(found - true) <= slack + part * true, "%.3f is found, %.3f is true" % (found, true)


def test_truth(key_python, tmp_path):
    """Threads that ran before, and one that is begun later; calls that wait; memory from then on."""
    run = live.run(key_python, "truth", tmp_path)
    assert run.status == 0, run.stderr
    used = json.loads(run.stdout)
    for function in ("first", "second", "late", "early"):
        pieces = 2 if function == "early" else 1
        assert_near(live.cpu_s(run.profile, "truth", function), used[function], pieces * (2 * WINDOW_S + WALK_IN_S))
    assert live.cpu_s(run.profile, "truth", "before") == 0
    totals = run.profile["totals"]
    told = totals["cpu_python_s"] + totals["cpu_native_s"] + totals["cpu_system_s"]
    assert_near(told, used["process"], 0.03)
    assert_near(live.of_function(run.profile, "truth", "large_objects", "n_malloc_mb"), 60, 0.1, 0.01)
    small_mb = 200_000 * (64 + 8.9) / (1 << 20)  # the list's own share included
    stated_mb = live.of_function(run.profile, "truth", "small_objects", "alloc_error_mb")
    assert_near(live.of_function(run.profile, "truth", "small_objects", "n_malloc_mb"), small_mb, STATED * stated_mb, 0.01)
    sleeps = [line["wait_s"].get("sleep", 0) for line in live.own_lines(run.profile, "truth").values()]
    assert 0.2499 <= max(sleeps) <= used["asleep"]
    names = {thread["name"] for thread in run.profile["threads"]}
    assert {"MainThread", "server"} <= names and any(name.startswith("new") for name in names)
    assert run.profile["ended"]["how"] == "running"
    assert any("inside the running program" in note for note in run.profile["quality"]["notes"])


def test_many_times(key_python, tmp_path):
    run = live.run(key_python, "again", tmp_path, 50)
    assert run.status == 0, run.stderr
    told = json.loads(run.stdout)
    last = told["states"][-1]
    assert last["timers"] == 0 and last["children"] == "", last
    for field in ("descriptors", "threads"):
        assert len({state[field] for state in told["states"]}) == 1, field
    assert abs(last["maps"] - told["states"][5]["maps"]) <= 4, [state["maps"] for state in told["states"]]
    assert told["private_kb"][-1] - told["private_kb"][5] < 2048, told["private_kb"]


@pytest.mark.parametrize("how", ["alone", "subreaper"])
def test_nothing_is_noticed(key_python, tmp_path, how):
    run = live.run(key_python, "unnoticed", tmp_path, how)
    assert (run.status, run.stderr) == (0, "")
    told = json.loads(run.stdout)
    assert told["while_on"] == {**told["before"], "children": told["while_on"]["children"]}
    assert told["after"] == told["before"]
    if how == "alone":
        assert told["while_on"]["children"] is None and told["signals"] == 0


SLOW_TO_END = "#include <unistd.h>\n__attribute__((destructor)) static void end(void) { usleep(500000); }"


def test_a_collector_that_is_slow_to_end_is_waited_for(tmp_path, monkeypatch):
    """By a program that would be left with it as its child."""
    library = tmp_path / "slow.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-xc", "-", "-o", library], input=SLOW_TO_END, text=True, check=True)
    monkeypatch.setenv("LD_PRELOAD", str(library))
    run = live.run(profiling.key_pythons()[-1], "unnoticed", tmp_path, "subreaper")
    told = json.loads(run.stdout)
    assert told["after"] == told["before"]


def test_processes(key_python, tmp_path):
    run = live.run(key_python, "processes", tmp_path)
    assert (run.status, run.stderr) == (0, "")
    told = json.loads(run.stdout)
    children = told.pop("children")
    assert told == {"statuses": [7, 7, 3, 0], "output": "42\n", "shell": 5}
    assert_near(live.cpu_s(run.profile, "processes", "in_child"), 0.5, 4 * WINDOW_S)
    used = {process["pid"]: process["cpu_s"] for process in run.profile["processes"]}
    assert len(children) == 2 and all(used[child] > 0.1 for child in children)
    assert not list(tmp_path.glob("*never*"))
    own = live.wait_for(tmp_path / "profile.json.json")
    assert_near(live.cpu_s(own, "processes", "in_child"), 0.2, 3 * WINDOW_S)


ENDINGS = {"_exit": (3, ""), "kill": (-signal.SIGKILL, ""), "exception": (1, "a word\n"), "exec": (4, ""),
           "none": (0, "")}


def test_ends_without_stop(key_python, tmp_path):
    """All at once: they mostly wait."""

    def end(how):
        folder = tmp_path / how
        folder.mkdir()
        run = live.run(key_python, "ending", folder, how)
        return how, run, live.wait_for(folder / "profile.json")

    with concurrent.futures.ThreadPoolExecutor(len(ENDINGS)) as pool:
        for how, run, profile in pool.map(end, ENDINGS):
            assert (run.status, run.stderr) == ENDINGS[how], how
            assert_near(live.cpu_s(profile, "ending", "burn"), 0.3, 3 * WINDOW_S)


def test_collector_is_killed(key_python, tmp_path):
    """The program goes on, stop says what happened, and another start works."""
    run = live.run(key_python, "ending", tmp_path, "collector")
    assert (run.status, run.stderr) == (0, "")
    assert run.stdout == "burnt\nthe collector was killed, and the profile is lost\n"
    assert_near(live.cpu_s(run.profile, "ending", "burn"), 0.3, 3 * WINDOW_S)


def test_storm(key_python, tmp_path):
    """Begun and ended again and again, in the middle of everything that a program can do."""
    run = live.run(key_python, "storm", tmp_path, STORM_S)
    assert (run.status, run.stdout) == (0, "[]\n"), run.stderr


def test_threads(key_python, tmp_path):
    """Begun in one thread, stopped in another; a thread that blocks every signal is seen all the same."""
    run = live.run(key_python, "threads", tmp_path)
    assert (run.status, run.stderr) == (0, "")
    used = json.loads(run.stdout)
    assert used["blocked"]
    assert_near(live.cpu_s(run.profile, "threads", "deaf"), used["deaf"], 3 * WINDOW_S)


def test_numpy(key_python, tmp_path):
    """Libraries that come later are hooked as well."""
    if key_python.version[:2] != (3, 12):
        pytest.skip("one interpreter is enough")
    with_numpy = profiling.with_packages(key_python, "numpy")
    if with_numpy is None:
        pytest.skip("numpy cannot be had")
    run = live.run(with_numpy, "arrays", tmp_path)
    assert (run.status, run.stdout, run.stderr) == (0, "50\n", "")
    assert_near(live.of_function(run.profile, "arrays", "filled", "n_malloc_mb"), 50, 0.2, 0.01)
    assert_near(live.of_function(run.profile, "arrays", "sorted_often", "cpu_native_s"), 0.4, 0.03, 0.05)


def test_outfile_cannot_be_written(tmp_path):
    python = profiling.key_pythons()[-1]
    code = "from scalene import _live\ntry:\n    _live.start([], '/nowhere/at/all.json')\nexcept _live.LiveError as error:\n    print(error)"
    run = profiling.call([python.path, "-c", code], env={"PYTHONPATH": str(live.PACKAGE)}, cwd=tmp_path)
    assert (run.status, run.stderr) == (0, "")
    assert "cannot write the profile to /nowhere/at/all.json" in run.stdout and len(run.stdout.splitlines()) == 1
