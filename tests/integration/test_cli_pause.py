# SPDX-License-Identifier: Apache-2.0
"""Profiling off and on in a run under way, from outside, for the whole tree."""

import json
import os
import subprocess
import time

import profiling
import pytest
from cli_runner import PYTHON, SCALENE, TIMEOUT_S, call, scalene, write
from terminal import Terminal

BURN_S = 0.3

# Each phase burns in its own function and says so; a child does the same at the same time.
PHASES = """
import os, sys, time
def burn(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        for i in range(20000):
            pass
def first(): burn(BURN_S)
def second(): burn(BURN_S)
def third(): burn(BURN_S)
child = os.fork() if "fork" in sys.argv else -1
if child != 0:
    print(os.getpid(), child, flush=True)
for phase in (first, second, third):
    phase()
    os.write(1, b"done\\n")
    if child != 0:
        sys.stdin.readline()
    elif phase is not third:
        while not os.path.exists(phase.__name__): time.sleep(0.01)
if child > 0:
    os.waitpid(child, 0)
""".replace("BURN_S", str(BURN_S))


class Run:
    """A program in three phases, held between them."""

    def __init__(self, folder, *words, python=PYTHON):
        write(folder, "p.py", PHASES)
        options = [word for word in words if word.startswith("-")]
        arguments = [word for word in words if not word.startswith("-")]
        self.folder = folder
        self.process_count = 1 + ("fork" in words)
        self.process = subprocess.Popen(
            [SCALENE, "run", "--python", str(python), *options, "-o", "o", "p.py", *arguments], cwd=folder,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.program, self.child = map(int, self.process.stdout.readline().split())

    def wait_for_phase(self):
        for _ in range(self.process_count):
            assert self.process.stdout.readline() == "done\n"

    def go_on(self, name):
        (self.folder / name).touch()
        self.process.stdin.write("\n")
        self.process.stdin.flush()

    def end(self):
        self.go_on("third")
        _, errors = self.process.communicate(timeout=TIMEOUT_S)
        assert self.process.returncode == 0, errors
        return json.loads((self.folder / "o.json").read_text())


def functions(profile):
    """Seconds of CPU by function."""
    shares = {}
    total = sum(profile["totals"][name] for name in ("cpu_python_s", "cpu_native_s", "cpu_system_s", "idle_s"))
    for file in profile["files"].values():
        for record in file["functions"]:
            percent = record["n_cpu_percent_python"] + record["n_cpu_percent_c"]
            shares[record["line"]] = percent * total / 100
    return shares


def switch(word, pid, answer=None):
    result = scalene(word, pid)
    assert result.returncode == 0, result.stderr
    assert result.stdout == (answer or "Scalene: profiling turned %s.\n" % ("off" if word == "pause" else "on"))


FOUND = [python.path for python in profiling.pythons()]
SAMPLE = sorted({FOUND[0], FOUND[len(FOUND) // 2], FOUND[-1]}, key=FOUND.index)
WHOM = {"scalene": lambda run: run.process.pid, "the program": lambda run: run.program,
        "a child": lambda run: run.child}


@pytest.mark.parametrize("whom", WHOM)
def test_what_runs_while_paused_is_in_no_line(whom, tmp_path):
    run = Run(tmp_path, "fork", python=SAMPLE[list(WHOM).index(whom) % len(SAMPLE)])
    run.wait_for_phase()
    switch("pause", WHOM[whom](run))
    switch("pause", WHOM[whom](run), "Scalene: profiling was off already.\n")
    run.go_on("first")
    run.wait_for_phase()
    time.sleep(0.2)
    switch("resume", WHOM[whom](run))
    run.go_on("second")
    run.wait_for_phase()
    profile = run.end()
    seconds = functions(profile)
    # Two phases of two processes. One point is drawn in each 10 ms, so that a phase is off by less
    # than two points: 80 ms in all are not reached by chance, and with the paused phase it were 1.8 s.
    assert seconds["burn"] == pytest.approx(4 * BURN_S, abs=0.15)
    names = names_in_stacks(profile)
    assert {"first", "third"} <= names and "second" not in names
    note = [note for note in profile["quality"]["notes"] if "Profiling was off for" in note]
    assert len(note) == 1 and "(scalene pause)" in note[0]
    assert not any("not profiled" in note for note in profile["quality"]["notes"])


def names_in_stacks(profile):
    return {frame["display_name"] for stack in profile["combined_stacks"] for frame in stack[0]}


def test_off_from_the_start_and_resumed(tmp_path):
    run = Run(tmp_path, "--off")
    run.wait_for_phase()
    switch("resume", run.program)
    run.go_on("first")
    run.wait_for_phase()
    run.go_on("second")
    run.wait_for_phase()
    profile = run.end()
    found = names_in_stacks(profile)
    assert {"second", "third"} <= found and "first" not in found
    assert any("(--off)" in note for note in profile["quality"]["notes"])


def test_a_pause_saves_what_there_is(tmp_path):
    run = Run(tmp_path)
    run.wait_for_phase()
    switch("pause", run.process.pid)
    deadline = time.monotonic() + TIMEOUT_S
    while not (tmp_path / "o.json").exists():
        assert time.monotonic() < deadline
        time.sleep(0.02)
    profile = json.loads((tmp_path / "o.json").read_text())
    assert profile["ended"]["how"] == "running"
    assert "first" in names_in_stacks(profile)
    for name in ("first", "second"):
        run.go_on(name)
        run.wait_for_phase()
    assert "third" not in names_in_stacks(run.end())


def test_whoever_is_not_profiled_is_told_so(tmp_path):
    bystander = subprocess.Popen(["sleep", "60"])
    result = scalene("pause", bystander.pid)
    bystander.kill()
    bystander.wait()
    assert result.returncode == 1
    assert result.stderr.startswith("scalene: process %d is not being profiled; " % bystander.pid)
    result = scalene("resume", bystander.pid)
    assert result.returncode == 1 and "process %d not found" % bystander.pid in result.stderr


def test_a_child_without_our_variables_is_known_by_its_parents(tmp_path):
    program = write(tmp_path, "p.py", """
import os, subprocess, sys
child = subprocess.Popen(["sleep", "60"], env={})
print(child.pid, flush=True)
sys.stdin.readline()
child.kill()
child.wait()
""")
    process = subprocess.Popen([SCALENE, "run", "--python", PYTHON, program], cwd=tmp_path, text=True,
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    switch("pause", int(process.stdout.readline()))
    process.communicate("\n", timeout=TIMEOUT_S)
    assert process.returncode == 0


def test_two_runs_do_not_meet(tmp_path):
    runs = [Run(tmp_path / name, "--cpu-only") for name in ("a", "b") if (tmp_path / name).mkdir() is None]
    for run in runs:
        run.wait_for_phase()
    switch("pause", runs[0].process.pid)
    for name in ("first", "second"):
        for run in runs:
            run.go_on(name)
            run.wait_for_phase()
    paused, other = (names_in_stacks(run.end()) for run in runs)
    assert "second" not in paused and "second" in other


def test_signals_of_the_original_are_the_programs(tmp_path):
    program = write(tmp_path, "p.py", """
import os, signal
for name in ("SIGILL", "SIGBUS"):
    number = getattr(signal, name)
    signal.signal(number, lambda *_: print("caught", name))
    os.kill(os.getpid(), number)
""")
    result = scalene("run", "--python", PYTHON, program, cwd=tmp_path)
    assert result.stdout == "caught SIGILL\ncaught SIGBUS\n"
    killed = scalene("run", "--python", PYTHON, "---", "-c", "import os, signal; os.kill(os.getpid(), signal.SIGBUS)",
                     cwd=tmp_path)
    assert killed.returncode == -7
    assert "profile saved" in killed.stderr


def test_in_the_background_of_a_shell_the_commands_are_said_first(tmp_path):
    write(tmp_path, "p.py", "print('program')")
    shell = Terminal(["/bin/bash", "--norc", "--noediting", "-i"], tmp_path)
    shell.expect("$ ")
    shell.type(f"{SCALENE} run --python {PYTHON} p.py & wait\n")
    shell.expect("Scalene now profiling process ")
    shell.expect("to disable profiling: scalene pause ")
    shell.expect("scalene.profile --off --pid ")
    shell.expect("to resume profiling:  scalene resume ")
    shell.expect("scalene.profile --on --pid ")
    shell.expect("program")
    shell.expect("profile saved")
    shell.type(f"{SCALENE} run --python {PYTHON} p.py\n")
    start = shell.seen
    shell.expect("profile saved")
    assert "now profiling" not in shell.output[start:]
    shell.type("exit\n")
    shell.end()


def test_elsewhere_they_are_not(tmp_path):
    write(tmp_path, "p.py", "")
    result = call([SCALENE, "run", "--python", PYTHON, "p.py"], cwd=tmp_path, start_new_session=True)
    assert result.returncode == 0 and "now profiling" not in result.stderr
    assert os.path.exists(tmp_path / "scalene-profile.json")
