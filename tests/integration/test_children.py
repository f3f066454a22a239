# SPDX-License-Identifier: Apache-2.0
"""Every process below the program is found, with all that it used, however it was started."""

import collections
import concurrent.futures
import ctypes
import os
import signal
import subprocess

import profiling
import pytest

TARGETS = profiling.TARGETS / "children"
JOBLIB = "joblib"  # a run of its own: of its workers one is killed, which nobody tells of and may leave half a record
AT_ONCE = 2
# Of a line's share: a child has one point in each 10 ms, so it is off by at most one at either end of
# its 50. Its total is its own clock, and has no such error.
LINES_ERROR = 2 / 50


def entries(run):
    found = collections.defaultdict(list)
    for process in run.profile["processes"]:
        found[process["pid"]].append(process)
    return found


def cpu_of(times):
    return times["cpu_python_s"] + times["cpu_native_s"] + times["cpu_system_s"]


def told(run):
    """What each child wrote last: (way, pid, seconds of CPU by its own clock)."""
    rows = [line.split() for line in run.stdout.splitlines()]
    last = {(way, int(pid)): float(cpu_s) for way, pid, cpu_s in rows}
    return [(way, pid, cpu_s) for (way, pid), cpu_s in last.items()]


def other_than(python):
    """Empty where there is but one."""
    others = [other.path for other in profiling.all_pythons() if other.version[:2] != python.version[:2]]
    return others[-1] if others else ""


@pytest.fixture(scope="module")
def ways(tmp_path_factory):
    """ways(python) -> runs that start children in all ways but joblib's, and one in joblib's, made once."""
    made = {}

    def run_some(python, names):
        out = tmp_path_factory.mktemp("ways") / "profile.json"
        environment = {**os.environ, "OTHER_PYTHON": other_than(python)}
        run = profiling.profile(python, TARGETS / "ways.py", *names, out=out, cwd=out.parent, env=environment)
        assert run.status == 0, run.stderr
        return run

    def run_all(python):
        if python not in made:
            python_with = profiling.with_packages(python, JOBLIB) or python
            names = [name for name in profiling.bare(python, TARGETS / "ways.py").stdout.split() if name != JOBLIB]
            parts = [names[::2], names[1::2], [JOBLIB]]
            with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as workers:
                *usual, joblib = workers.map(lambda part: run_some(python_with, part), parts)
            made[python] = usual, joblib
        return made[python]

    return run_all


def possible_ways(python):
    """All, but for those that this machine lacks something for."""
    listing = profiling.bare(python, "-c", "import ways; print(*ways.WAYS)", cwd=TARGETS,
                             env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
    lacking = {"joblib": profiling.with_packages(python, JOBLIB) is None, "other_python": not other_than(python),
               "execveat": not hasattr(ctypes.CDLL(None), "execveat")}
    return {way for way in listing.stdout.split() if not lacking.get(way)}


def wrong_children(run):
    found = entries(run)
    threads = collections.Counter()
    for thread in run.profile["threads"]:
        threads[thread["pid"]] += cpu_of(thread)
    for way, pid, cpu_s in told(run):
        process, *others = found[pid] or [None]
        if not process or others or not process["profiled"]:
            yield way, found[pid]
        elif not 0.97 <= process["cpu_s"] / cpu_s <= 1.03 or not 0.97 <= threads[pid] / cpu_s <= 1.03:
            yield way, process["cpu_s"] / cpu_s, threads[pid] / cpu_s


def test_each_child_has_all_that_it_used(ways, key_python):
    usual, joblib = ways(key_python)
    runs = [*usual, joblib]
    assert {way for run in runs for way, _, _ in told(run)} == possible_ways(key_python)
    assert not [wrong for run in runs for wrong in wrong_children(run)]


def test_their_lines_add_up_to_what_they_used(ways, key_python):
    usual, _ = ways(key_python)
    for run in usual:
        rows = told(run)
        burnt = sum(cpu_s for _, _, cpu_s in rows)
        found = sum(cpu_of(line) for line in profiling.lines(run.profile, "burning.py").values())
        # Start-up of an interpreter is no line's: a tenth of a second each at most.
        assert burnt - 0.1 * len(rows) <= found <= burnt * (1 + LINES_ERROR)


def test_nothing_is_said_against_it(ways, key_python):
    usual, joblib = ways(key_python)
    for run in usual:
        assert profiling.complaints(run.profile) == []
        endings = {(process["ended"]["how"], process["ended"]["status"]) for process in run.profile["processes"]}
        assert endings == {("exit", 0)}
    assert profiling.complaints(joblib.profile, profiling.CUT_SHORT) == []


REEXEC = """
import os, sys, time
def burn(seconds):
    while time.process_time() < seconds:
        sum(range(1000))
level = int(sys.argv[1])
burn(0.2 * (level + 1))
if level < 2:
    os.execv(sys.executable, [sys.executable, __file__, str(level + 1)])
print(os.getpid(), time.process_time(), flush=True)
os._exit(9)  # to end by itself would take it a while that it cannot tell of
"""


def test_a_process_that_starts_itself_again_is_one(profile, program, key_python):
    run = profile(key_python, program(REEXEC), "0")
    pid, cpu_s = run.stdout.split()
    process, = run.profile["processes"]
    thread, = run.profile["threads"]
    assert run.status == 9
    assert process["pid"] == thread["pid"] == int(pid)
    assert process["ended"] == {"how": "exit", "status": 9}
    assert process["command"][-1] == "2"
    assert run.profile["elapsed_time_sec"] > 0.5
    assert 0.97 <= process["cpu_s"] / float(cpu_s) <= 1.03
    assert 0.97 <= cpu_of(thread) / float(cpu_s) <= 1.03


AGAIN_AND_AGAIN = """
import os, sys, time
level, folder = int(sys.argv[1]), os.environ["SCALENE_RUN_DIR"]
if level < 200:
    os.execv(sys.executable, [sys.executable, "-S", __file__, str(level + 1)])
def left():
    return [name for name in os.listdir(folder) if name.startswith("%d." % os.getpid())]
while len(left()) > 1:  # what it was before is read and goes
    time.sleep(0.01)
name, = left()
descriptors = os.listdir("/proc/%d/fd" % os.getppid())
print(name, os.getpid(), len(descriptors))
"""


def test_a_process_that_starts_itself_two_hundred_times_is_one_with_one_ring(profile, program):
    run = profile(profiling.key_pythons()[-1], program(AGAIN_AND_AGAIN), "0", options=["--cpu-only"])
    assert run.status == 0, run.stderr
    name, pid, descriptors = run.stdout.split()
    assert name == "%s.200" % pid
    # Files that the interpreter has mapped, the run's directory, its own standard ones, one process: not one a program.
    assert int(descriptors) < 50
    process, = run.profile["processes"]
    thread, = run.profile["threads"]
    assert process["pid"] == thread["pid"] == int(pid)
    assert process["command"][-1] == "200"
    assert run.profile["totals"]["ready_s"] <= run.profile["elapsed_time_sec"]  # it has one thread
    assert profiling.complaints(run.profile) == []


OUT_OF_SIGHT = """
import os, sys, time
if len(sys.argv) == 1:
    os.execv(sys.executable, [sys.executable, __file__, "again"])
os.chroot(os.path.dirname(os.path.abspath(__file__)))  # there is no /proc
while time.process_time() < 0.3:
    sum(range(1000))
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may")
def test_a_process_that_starts_itself_again_and_loses_sight_of_proc(profile, program, key_python):
    run = profile(key_python, program(OUT_OF_SIGHT))
    assert run.status == 0, run.stderr
    assert profiling.complaints(run.profile) == []
    assert cpu_of(*run.profile["threads"]) >= 0.29


ENDINGS = """
import ctypes, os, signal, sys, time
def child(act):
    pid = os.fork()
    if pid == 0:
        time.sleep(0.01)  # a record: who is killed before its first one is not seen
        act()
    os.waitpid(pid, 0)
    return pid
print(child(lambda: os._exit(3)), child(lambda: sys.exit(4)), child(lambda: os.kill(os.getpid(), signal.SIGKILL)),
      child(lambda: os.kill(os.getpid(), signal.SIGTERM)), child(lambda: ctypes.string_at(0)), child(os.abort))
"""


def test_how_each_child_ended(profile, program, key_python):
    run = profile(key_python, program(ENDINGS))
    pids = [int(pid) for pid in run.stdout.split()]
    ended = {process["pid"]: process["ended"] for process in run.profile["processes"]}
    said = [(ended[pid]["how"], ended[pid]["status"]) for pid in pids]
    assert said[:2] == [("exit", 3), ("exit", 4)]
    assert [how for how, _ in said[2:]] == ["signal"] * 4
    numbers = [signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV, signal.SIGABRT]
    # An older kernel forgets the number once the parent has asked for it.
    assert all(number in (expected, 0) for (_, number), expected in zip(said[2:], numbers))


def test_only_the_program_itself_if_that_is_asked_for(profile, program, key_python):
    text = REEXEC.replace("print(", "os.fork() or os._exit(0 * sum(range(10 ** 6))); os.wait()\n"
                                    "os.system('%s -c 1' % sys.executable)\nprint(")
    run = profile(key_python, program(text), "0", options=["--no-profile-children"])
    pid, cpu_s = run.stdout.split()
    process, = run.profile["processes"]
    assert process["pid"] == int(pid)
    assert 0.9 <= process["cpu_s"] / float(cpu_s) <= 1.03
    assert any("--no-profile-children" in note for note in run.profile["quality"]["notes"])


def test_no_child_is_sampled_before_it_has_left(profile, program):
    text = "import os\nfor _ in range(500):\n    os.fork() or os._exit(0)\n    os.wait()"
    run = profile(profiling.key_pythons()[0], program(text), options=["--no-profile-children"])
    assert len(run.profile["processes"]) == 1


def test_children_do_not_see_the_agent_if_they_are_not_profiled(profile, program, key_python):
    text = "import subprocess, sys, os\nsubprocess.run(['env'], check=True)\nos.execvp('env', ['env'])"
    assert "LD_PRELOAD" in profile(key_python, program(text)).stdout
    run = profile(key_python, program(text), options=["--no-profile-children"])
    assert run.stdout.count("PATH=") >= 2
    assert run.stdout.count("LD_PRELOAD") == 1  # the program itself goes on as `env`


# The program ends once its daemon is there, and that works once the profile of the program alone is saved.
DAEMON = """
import os, sys, time
def burn(seconds):
    while time.process_time() < seconds:
        sum(range(1000))
def wait_for_profile():
    while not os.path.exists(sys.argv[1]):
        time.sleep(0.01)
ours, its = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.close(0); os.close(1); os.close(2)
        os.write(its, b"!")
        wait_for_profile()
        burn(0.3)
        os._exit(7)
    os._exit(0)
os.wait()
os.read(ours, 1)
sys.exit(5)
"""


def daemon_of(document):
    return max(document["processes"], key=lambda process: process["end_s"])


def test_a_daemon_is_waited_for_and_told_of(profile, program, key_python, tmp_path):
    run = profile(key_python, program(DAEMON), tmp_path / "profile.json")
    daemon = daemon_of(run.profile)
    assert run.status == 5
    assert "the program has ended, 1 process that it started (PID %d) goes on" % daemon["pid"] in run.stderr
    assert "--no-wait-children" in run.stderr
    assert daemon["ended"] == {"how": "exit", "status": 7}
    assert 0.29 <= daemon["cpu_s"] <= 0.4
    assert run.profile["elapsed_time_sec"] < daemon["end_s"] - 0.2
    assert profiling.complaints(run.profile) == []


def test_a_daemon_is_left_alone_if_that_is_asked_for(profile, program, key_python, tmp_path):
    run = profile(key_python, program(DAEMON), tmp_path / "profile.json", options=["--no-wait-children"])
    assert run.status == 5
    hows = [process["ended"]["how"] for process in run.profile["processes"]]
    assert "running" in hows or len(hows) == 2  # it may not have written anything yet
    assert any("went on" in note for note in run.profile["quality"]["notes"])


def test_waiting_for_a_daemon_ends_with_a_signal_and_keeps_the_profile(program, tmp_path):
    python = profiling.key_pythons()[-1]
    path = program(DAEMON.replace("        wait_for_profile()", "        time.sleep(600)"))
    out = tmp_path / "profile.json"
    command = [profiling.SCALENE, "run", "--python", python.path, "-o", out, path]
    scalene = subprocess.Popen([str(word) for word in command], stderr=subprocess.PIPE, text=True)
    line = scalene.stderr.readline()
    assert "goes on" in line
    assert out.exists()  # saved when the program ended, before anybody is waited for
    scalene.send_signal(signal.SIGINT)
    rest = scalene.stderr.read()
    os.kill(int(line.split("(PID ")[1].split(")")[0]), signal.SIGKILL)
    assert scalene.wait(timeout=profiling.TIMEOUT_S) == 5
    assert "profile saved" in rest


# Parents that are gone as soon as there is a child, and a child that is slow to come.
ORPHAN = """
import os, time
for _ in range(2):
    if os.fork():
        os._exit(0)
end = time.process_time() + 0.2
while time.process_time() < end:
    sum(range(1000))
"""
SLOW_TO_COME = """
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>
static void wait_first(void)
{
    while (access(PROFILE, F_OK) != 0) {
        usleep(1000);
    }
    usleep(300000);
}
__attribute__((constructor)) static void start(void)
{
    if (strncmp(program_invocation_short_name, "python", 6) == 0) { // scalene itself has it too, and must save first
        pthread_atfork(NULL, NULL, wait_first);
    }
}
"""


# A library whose handler comes before the agent's, and rests in the child for 0.3 s.
RESTS_IN_CHILD = """
#include <pthread.h>
#include <unistd.h>
static void rest(void)
{
    usleep(300000);
}
__attribute__((constructor)) static void start(void)
{
    pthread_atfork(NULL, NULL, rest);
}
"""
REPEATED_FORK = """
import os
for _ in range(3):
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
"""


def test_what_a_child_does_before_it_is_known_as_one_is_not_its_parents(key_python, program, tmp_path):
    library = tmp_path / "rests.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-xc", "-", "-o", library], input=RESTS_IN_CHILD, text=True, check=True)
    run = profiling.profile(key_python, program(REPEATED_FORK), out=tmp_path / "o.json",
                            env={**os.environ, "LD_PRELOAD": str(library)})
    assert profiling.complaints(run.profile) == []
    waits = [line["wait_s"] for line in profiling.lines(run.profile, "program.py").values()]
    assert sum(of_line.get("child", 0) for of_line in waits) >= 0.9
    assert sum(of_line.get("sleep", 0) for of_line in waits) < 0.3


def test_a_daemon_whose_parents_are_gone_at_once_is_not_lost(key_python, program, tmp_path):
    """The library's handler comes before the agent's: the child is on no list when the program has ended, and comes
    when its profile is saved."""
    library, out = tmp_path / "slow.so", tmp_path / "o.json"
    subprocess.run(["cc", "-shared", "-fPIC", '-DPROFILE="%s"' % out, "-xc", "-", "-o", library], input=SLOW_TO_COME,
                   text=True, check=True)
    run = profiling.profile(key_python, program(ORPHAN), out=out,
                            env={**os.environ, "LD_PRELOAD": str(library)})
    assert run.status == 0
    assert "goes on" in run.stderr
    daemon = daemon_of(run.profile)
    assert 0.2 <= daemon["cpu_s"] <= 0.3
    assert profiling.complaints(run.profile) == []
    lines = profiling.lines(run.profile, "program.py")
    loop = ORPHAN.split("\n").index("while time.process_time() < end:") + 1
    assert sum(cpu_of(lines[number]) for number in (loop, loop + 1) if number in lines) >= 0.15
    assert loop + 1 in lines and max(lines, key=lambda number: cpu_of(lines[number])) in (loop, loop + 1)
