# SPDX-License-Identifier: Apache-2.0
"""What coroutines wait for: on the right line, under the right names, whatever becomes of the program."""

import concurrent.futures
import os
import signal
import subprocess

import live
import profiling
import pytest
from coroutine_programs import ABANDONED, BY_HAND, EXECUTORS, GENERATOR_TASK, INTERPRETERS, INTERRUPTED, NESTED, OPTIONS, PROGRAM, PROGRAMS
from crowded_programs import HOLDERS, MANY
from meddled_programs import MEDDLER, TAKEN
from profiling import SCALENE, late_s, lines
from transparency import TARGETS, run_same


def line_of(text):
    return 1 + next(number for number, line in enumerate(PROGRAM.splitlines()) if text in line)


FETCH, HANDLE, BLOCK = line_of("sleep(seconds)"), line_of("await fetch"), line_of("sleep(0.12)")
COMPUTE = range(line_of("thread_time() + 0.3"), line_of("sum(range(100))") + 1)
CREATE, CALL_BACK = line_of("ensure_future"), line_of("sleep(0.15)")


class Runs(dict):
    def lines(self, name):
        assert self[name].profile, self[name].stderr
        return lines(self[name].profile, name + ".py")


@pytest.fixture(scope="module")
def runs(key_python, tmp_path_factory):
    """Several at once: they do little but wait. So no bound below counts on being alone."""
    folder = tmp_path_factory.mktemp("async")
    environment = dict(os.environ, PYTHONPATH=str(profiling.ROOT / "python"))
    meddler = folder / "meddler.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-x", "c", "-", "-o", str(meddler), "-ldl"], input=MEDDLER, text=True, check=True)

    def run(name):
        path = folder / (name + ".py")
        path.write_text(PROGRAMS[name], encoding="utf-8")
        where = dict(environment, LD_PRELOAD=str(meddler)) if name.startswith("guessed") else environment
        return profiling.profile(key_python, path, out=folder / (name + ".json"), cwd=folder, env=where,
                                 options=OPTIONS.get(name, ()))

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        return Runs(zip(PROGRAMS, pool.map(run, PROGRAMS)))


@pytest.fixture(scope="module")
def seen(key_python, tmp_path_factory):
    """This one alone: it says how long steps take."""
    folder = tmp_path_factory.mktemp("async")
    path = folder / "program.py"
    path.write_text(PROGRAM, encoding="utf-8")
    return profiling.profile(key_python, path, out=folder / "profile.json", cwd=folder).profile


def test_the_line_that_waits_is_the_innermost_of_the_program(seen):
    own = lines(seen, "program.py")
    assert 5 * 0.2 - late_s(seen) <= own[FETCH]["await_s"] < 5 * seen["elapsed_time_sec"]
    assert own[HANDLE]["await_s"] == 0
    assert own[FETCH]["n_async_concurrency_peak"] == 5
    assert 1 < own[FETCH]["n_async_concurrency_mean"] <= 5  # how much exactly: tests/accuracy
    assert own[FETCH]["async_task_names"] == ["request %d" % i for i in range(5)]
    assert seen["async_profile"] is True
    assert own[FETCH]["is_coroutine"] and not own[len(PROGRAM.splitlines())]["is_coroutine"]
    assert abs(sum(line["n_async_await_percent"] for line in own.values()) - 100) < 0.01


def test_functions_have_what_their_lines_wait(seen):
    record = next(content for path, content in seen["files"].items() if path.endswith("program.py"))
    functions = {function["line"]: function for function in record["functions"]}
    assert functions["fetch"]["await_s"] == pytest.approx(lines(seen, "program.py")[FETCH]["await_s"])
    assert functions["burn"]["await_s"] == 0 and functions["burn"]["is_coroutine"]


def test_computing_is_no_waiting(seen):
    own = lines(seen, "program.py")
    assert all(own[number]["await_s"] == 0 for number in [*COMPUTE, BLOCK])
    spent = sum(own[number]["cpu_%s_s" % kind] for number in COMPUTE for kind in ("python", "native", "system"))
    assert spent > 0.1


def test_lines_that_block_the_loop_are_told(seen):
    blocks = {block["lineno"]: block for block in seen["loop_blocks"]}
    computing = [blocks[number] for number in COMPUTE if number in blocks]
    assert computing and computing[0]["longest_s"] >= 0.3
    assert 0.12 <= blocks[BLOCK]["longest_s"] <= blocks[BLOCK]["total_s"]
    assert blocks[CALL_BACK]["longest_s"] >= 0.15  # no coroutine, but the loop's all the same


def test_tasks_are_told(seen):
    tasks = {task["name"]: task for task in seen["async_tasks"]}
    request = tasks["request 3"]
    assert request["coroutine"] == "handle" and request["lineno"] == HANDLE - 1
    assert request["created_lineno"] == CREATE and request["created_filename"].endswith("program.py")
    # The line's is that of all five, of which each other has as much at least.
    others_s = 4 * 0.2 - late_s(seen)
    assert 0.2 - late_s(seen) <= request["await_s"] <= lines(seen, "program.py")[FETCH]["await_s"] - others_s
    hot = tasks["hot"]
    assert hot["await_s"] == 0 and hot["longest_stretch_s"] >= 0.3 and hot["ended"]
    assert tasks["blocking"]["longest_stretch_s"] >= tasks["blocking"]["cpu_s"] + 0.12
    assert seen["async_tasks_left_out"] == 0


def test_waiting_tasks_are_stacks(seen):
    names = [[frame["display_name"] for frame in frames] for frames, _ in seen["combined_stacks"]]
    waiting = [stack for stack in names if stack[-1].startswith("[await]")]
    assert ["handle", "fetch", "[await] sleep (request 0)"] in waiting
    computing = [stack for stack in names if "burn" in stack]
    assert computing and all(stack[stack.index("burn") - 1] == "compute" for stack in computing)


def test_can_be_turned_off(runs):
    profile = runs["off"].profile
    assert profile["async_profile"] is False
    assert not profile["async_tasks"] and not profile["loop_blocks"]
    assert not [line for line in runs.lines("off").values() if line["await_s"] > 0]


def test_nothing_is_lost_with_a_process_that_is_killed(runs):
    own = runs.lines("killed")
    profile = runs["killed"].profile
    # All ten waited when the program looked, and did until it was noticed that it was killed.
    assert 0.999 * float(runs["killed"].stdout) <= own[3]["await_s"] < 10 * profile["elapsed_time_sec"]
    assert own[3]["n_async_concurrency_peak"] == 10
    assert len([task for task in profile["async_tasks"] if not task["ended"]]) == 11


def test_tasks_that_are_dropped_wait_no_longer(runs):
    run, own = runs["endings"], runs.lines("endings")
    assert run.status == 0, run.stderr
    # Five times a tenth of a second; not the second after they were gone.
    assert 0.5 <= own[3]["await_s"] < 5 * (run.profile["elapsed_time_sec"] - 1.0)


def test_the_child_of_a_fork_counts_for_itself(runs):
    run, own = runs["forked"], runs.lines("forked")
    assert run.status == 0, run.stderr
    # What was slept, and no more than the program's own clocks say around it.
    assert 0.6 + 0.2 - late_s(run.profile) <= own[4]["await_s"] <= sum(map(float, run.stdout.split())) + 0.001


def test_the_child_of_a_fork_that_keeps_the_loop_knows_who_waits(runs):
    run, own = runs["kept"], runs.lines("kept")
    assert run.status == 0, run.stderr
    child_s, parent_s = map(float, run.stdout.split())
    # Ten wait, less one that may be in a step: so nine leave the child a tenth of its second for the way to its first step, and
    # its tasks for that to their own, from which on they count where the interpreter forgets them (3.14 on).
    least_s = 9 * (parent_s + child_s) - 10 * late_s(run.profile)
    assert least_s <= own[4]["await_s"] <= 10 * 2 * run.profile["elapsed_time_sec"]
    assert own[4]["n_async_concurrency_peak"] == 10


def test_a_profile_begun_in_a_running_program_knows_who_waits(key_python, tmp_path):
    run = live.run(key_python, "loop", tmp_path)
    assert run.status == 0, run.stderr
    least_s, most_s = map(float, run.stdout.split())
    line = next(line for line in live.own_lines(run.profile, "loop").values() if line["n_async_concurrency_peak"] > 1)
    # At every moment all ten wait but one that may be in a step.
    assert 9 * least_s <= line["await_s"] <= 10 * most_s
    assert line["n_async_concurrency_peak"] == 10
    names = ["worker %d" % number for number in range(10)]
    assert sorted(line["async_task_names"]) == names
    assert set(names) <= {task["name"] for task in run.profile["async_tasks"]}


def test_while_profiling_is_off_nothing_is_counted(runs):
    run, own = runs["paused"], runs.lines("paused")
    assert run.status == 0, run.stderr
    assert 0.2 + 0.2 - late_s(run.profile) <= own[5]["await_s"] <= float(run.stdout) + 0.02


def test_interpreters_beside_each_other_are_followed(runs, key_python):
    run, own = runs["interpreters"], runs.lines("interpreters")
    assert run.status == 0, run.stderr
    truths = [float(word) for word in run.stdout.split()]
    assert len(truths) == (4 if key_python.version >= (3, 13) else 2)
    waiting = own[1 + line_in(INTERPRETERS, "asyncio.sleep(0.2)") - line_in(INTERPRETERS, "TEXT = ")]
    assert 5 * 0.2 * len(truths) - late_s(run.profile) <= waiting["await_s"] <= sum(truths) + 0.001
    assert waiting["n_async_concurrency_peak"] == 5


def line_in(text, words):
    return 1 + next(number for number, line in enumerate(text.splitlines()) if words in line)


def stacks_of(profile):
    return [[frame["display_name"] for frame in frames] for frames, _ in profile["combined_stacks"]]


def test_what_threads_do_for_an_await_is_told_with_it(runs, key_python):
    own, profile = runs.lines("executors"), runs["executors"].profile
    at_once, later = (own[line_in(EXECUTORS, words)] for words in ("await asyncio.get_running", "gather("))
    elapsed_s = profile["elapsed_time_sec"]
    assert 0.2 <= at_once["await_work_s"] <= elapsed_s
    assert 0.4 <= later["await_work_s"] <= 2 * elapsed_s
    if key_python.version >= (3, 9):
        assert 0.2 <= own[line_in(EXECUTORS, "to_thread(work)")]["await_work_s"] <= elapsed_s
    assert own[line_in(EXECUTORS, "asyncio.sleep(0.1)")]["await_work_s"] == 0
    for asker in ("at_once", "later"):
        assert [stack for stack in stacks_of(profile) if asker in stack and "work" in stack[stack.index(asker):]]


def test_a_loop_within_a_loop_is_followed(runs):
    own, profile = runs.lines("nested"), runs["nested"].profile
    for seconds in (0.2, 0.1):
        await_s = own[line_in(NESTED, "sleep(%s)" % seconds)]["await_s"]
        assert seconds - late_s(profile) <= await_s < profile["elapsed_time_sec"]


def test_an_asynchronous_generator_driven_by_hand_waits_too(runs):
    own, truth = runs.lines("by_hand"), float(runs["by_hand"].stdout)
    # Three times a tenth of a second; not while it has something to give, nor when it is no more.
    assert 3 * 0.1 <= own[line_in(BY_HAND, "yield")]["await_s"] <= truth + 0.001


def test_an_asynchronous_generator_that_is_left_waits_only_while_it_ends(runs):
    run, own = runs["abandoned"], runs.lines("abandoned")
    assert run.status == 0, run.stderr
    await_s = own[line_in(ABANDONED, "sleep(0.2)")]["await_s"]
    assert 0.2 - late_s(run.profile) <= await_s <= float(run.stdout) + 0.001
    assert not [note for note in run.profile["quality"]["notes"] if "without a line" in note]


def test_where_slots_are_taken_tasks_are_looked_at(runs):
    own, profile = runs.lines("guessed"), runs["guessed"].profile
    # All idle time but the last stretches, shorter than 10 ms or before the last task ended.
    assert 10 * (0.5 - late_s(profile)) <= own[3]["await_s"] <= 10 * profile["elapsed_time_sec"]
    assert own[3]["n_async_concurrency_peak"] == 10
    assert 0.3 - late_s(profile) <= own[6]["await_s"] <= profile["elapsed_time_sec"]
    assert [note for note in profile["quality"]["notes"] if "step by step" in note]


def test_a_slot_that_the_program_has_taken_is_left_alone(runs):
    run, own = runs["taken"], runs.lines("taken")
    assert (run.status, run.stdout) == (0, "True\n"), run.stderr
    assert own[line_in(TAKEN, "sleep(0.01)")]["n_async_concurrency_peak"] == 2


def test_of_many_tasks_those_that_are_looked_at_stand_for_the_rest(runs):
    assert runs["guessed_many"].status == 0, runs["guessed_many"].stderr
    own, profile = runs.lines("guessed_many"), runs["guessed_many"].profile
    # Every second of 753 is looked at: the 750, main, the ticker, and one written in Python, which is left out.
    assert 2 * 373 <= own[3]["n_async_concurrency_peak"] <= 2 * 377
    assert 2 * 373 * (0.5 - late_s(profile)) <= own[3]["await_s"] <= 2 * 377 * profile["elapsed_time_sec"]


def test_tasks_are_looked_at_for_their_own_loop(runs):
    own, profile = runs.lines("guessed_loops"), runs["guessed_loops"].profile
    assert own[3]["n_async_concurrency_peak"] == 8
    assert 10 * (0.5 - late_s(profile)) <= own[3]["await_s"] <= 10 * profile["elapsed_time_sec"]


def test_a_task_of_a_generator_is_followed(runs):
    own, profile = runs.lines("generator_task"), runs["generator_task"].profile
    await_s = own[line_in(GENERATOR_TASK, "sleep(0.2)")]["await_s"]
    assert 0.2 - late_s(profile) <= await_s <= float(runs["generator_task"].stdout) + 0.001


def test_what_is_compiled_next_has_lines_of_its_own(runs):
    own, profile = runs.lines("recompiled"), runs["recompiled"].profile
    waiting = {number: line["await_s"] for number, line in own.items() if line["await_s"] > 0}
    assert set(waiting) == set(range(2, 12)) and min(waiting.values()) >= 0.02 - late_s(profile)


def test_what_waits_is_found_again_whatever_code_ends(runs):
    run, own = runs["freed"], runs.lines("freed")
    assert run.status == 0, run.stderr
    assert own[6]["await_s"] <= float(run.stdout)
    assert own[6]["n_async_concurrency_peak"] == 3000


def test_what_found_no_place_is_told(runs):
    own, profile = runs.lines("crowded"), runs["crowded"].profile
    notes = [note for note in profile["quality"]["notes"] if "waited" in note]
    assert len(notes) == 1 and "on no line" in notes[0], notes
    lost_s = float(notes[0].split()[0])
    main = max(profile["async_tasks"], key=lambda task: task["await_s"])
    # Told in milliseconds; the rest are the same readings of one clock.
    assert 0 < lost_s and abs(sum(line["await_s"] for line in own.values()) + lost_s - main["await_s"]) < 0.001


def test_every_task_that_came_to_a_place_is_named_there_once(runs):
    own, profile = runs.lines("named"), runs["named"].profile
    assert own[3]["async_task_names"] == ["Task-2", *["late %d" % number for number in range(5)]]
    assert "renamed" in [task["name"] for task in profile["async_tasks"]]


def test_a_task_that_holds_the_loop_in_its_only_step_is_listed(runs):
    own, profile = runs.lines("holders"), runs["holders"].profile
    holders = [task for task in profile["async_tasks"] if task["coroutine"] == "hold"]
    assert sorted(task["name"] for task in holders) == ["holder 0", "holder 1"]
    for task in holders:
        assert task["longest_stretch_s"] >= 0.07 and task["ended"] and task["steps"] == 1
        assert task["lineno"] == line_in(HOLDERS, "def hold")
    block = next(block for block in profile["loop_blocks"] if block["lineno"] == line_in(HOLDERS, "sleep(0.07)"))
    # Nobody read the clock when their steps began: they are told from where they first waited, or were sampled.
    assert 2 * 0.07 <= block["total_s"] <= sum(map(float, runs["holders"].stdout.split())) + 0.001
    assert block["count"] == 2 and own[block["lineno"]]["await_s"] == 0


def test_a_loop_that_is_interrupted_has_waited_until_then(key_python, program, tmp_path):
    out = tmp_path / "profile.json"
    stolen_before_s = profiling.stolen_s()
    command = [SCALENE, "run", "--python", key_python.path, "-o", out, program(INTERRUPTED)]
    process = subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               start_new_session=True)
    assert process.stdout.readline() == "waits\n"
    os.killpg(process.pid, signal.SIGINT)
    _, stderr = process.communicate(timeout=profiling.TIMEOUT_S)
    assert "KeyboardInterrupt" in stderr
    profile = profiling.load(out, stolen_before_s)
    assert lines(profile, "program.py")[4]["await_s"] >= 0.29 - late_s(profile)  # it is set a moment before the await


def test_a_hundred_thousand_tasks_are_counted_in_bounded_memory(new_python, program, profile):
    run = profile(new_python, program(MANY), options=["--cpu-only", "--async"])
    line = lines(run.profile, "program.py")[3]
    assert line["n_async_concurrency_peak"] == 100_000
    assert line["await_s"] >= 100_000
    assert len(line["async_task_names"]) == 100
    assert len(run.profile["async_tasks"]) == 1000
    # main, and one or two of asyncio's own at the end.
    assert 100_001 <= 1000 + run.profile["async_tasks_left_out"] <= 100_003
    assert run.profile["quality"]["own_memory_mb"] <= 50


COVERED = """import coverage, sys
for path in sys.argv[1:]:
    data = coverage.CoverageData(path)
    data.read()
    print(sorted(set(data.lines(next(iter(data.measured_files()))))))
"""


def test_a_program_under_coverage_has_the_same_lines(key_python, tmp_path):
    """By the tracer that coverage has for the interpreter: `sys.settrace` before 3.12, then `sys.monitoring`."""
    python = profiling.with_packages(key_python, *profiling.ASYNC_PACKAGES)
    if python is None:
        pytest.skip("coverage cannot be had for %s" % key_python)
    core = "sysmon" if python.version >= (3, 12) else "ctrace"
    how = {"cwd": tmp_path, "env": dict(os.environ, COVERAGE_CORE=core)}
    target = TARGETS / "coroutines.py"
    for name in ("bare", "profiled"):
        command = ["-m", "coverage", "run", "--data-file", tmp_path / name, target]
        run = (profiling.bare(python, *command, **how) if name == "bare"
               else profiling.profile(python, *command, out=tmp_path / "profile.json", **how))
        assert run.status == 0, run.stderr
    told = profiling.bare(python, "-c", COVERED, tmp_path / "bare", tmp_path / "profiled", **how)
    bare, profiled = told.stdout.splitlines()
    assert len(bare) > 100 and profiled == bare


@pytest.mark.parametrize("name", ["coroutines.py", "tracers.py"])
def test_a_program_sees_nothing_of_it(key_python, tmp_path, name):
    text = (TARGETS / name).read_text(encoding="utf-8")
    (tmp_path / name).write_text(text, encoding="utf-8")
    run = run_same(key_python, name, folder=tmp_path)
    assert run.status == 0, run.stderr
