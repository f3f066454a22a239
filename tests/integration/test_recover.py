# SPDX-License-Identifier: Apache-2.0
"""scalene is killed: the program does not notice, and its profile is not lost."""

import gzip
import json
import os
import signal
import subprocess
import time

import profiling
import pytest
from cli_runner import PYTHON
from endings import (SCHEMA, all_children, can_mount, children, hold, is_alive, is_scalene, make_place, name_of,
                     wait_until)

TWO_PARTS = """
def before():
    for _ in range(100):
        sum(range(5000))
def after(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        sum(range(5000))
parent = os.getppid()
print("ready", flush=True)
while os.getppid() == parent:
    before()
    time.sleep(0.01)
after(%s)
print("done", time.process_time(), flush=True)
sys.exit(3)
"""


def start(place, python):
    process = place.start(python, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout.readline() == "ready\n"
    (directory,) = place.run_dirs()
    return process, directory


def wait_for_checkpoint(directory):
    wait_until(lambda: os.path.exists(directory + "/checkpoint.gz"), "no checkpoint is written")


def wait_for_function(directory, name):
    """In a checkpoint: one of the first second may have been made before the program's first line."""
    wait_for_checkpoint(directory)

    def is_in_it():
        with gzip.open(directory + "/checkpoint.gz", "rt", encoding="utf-8") as file:
            return name in functions_of(json.load(file))

    wait_until(is_in_it, "%s is in no checkpoint" % name)


def recover(*words, **how):
    return subprocess.run([profiling.SCALENE, "recover", *map(str, words)], capture_output=True, text=True, **how)


def copies(process):
    """Processes below scalene that read on in its place."""
    return [pid for pid in all_children(process.pid) if is_scalene(pid) and name_of(pid) == "scalene"]


def hold_with_copy(process):
    """Stops scalene, and not where it puts one copy in the place of another."""
    hold(process.pid)
    while len(copies(process)) != 1:
        os.kill(process.pid, signal.SIGCONT)
        time.sleep(0.02)
        hold(process.pid)
    (copy,) = copies(process)
    return copy


def test_a_killed_scalene_loses_neither_the_program_nor_its_profile(key_python, tmp_path):
    place = make_place(tmp_path, TWO_PARTS % 0.5)
    process, directory = start(place, key_python)
    wait_for_function(directory, "before")
    copy = hold_with_copy(process)
    process.kill()
    out, err = process.communicate(timeout=profiling.TIMEOUT_S)
    done, used_s = out.split()
    assert (done, err) == ("done", "")
    wait_until(lambda: not is_alive(copy), "the copy outlives the program")
    assert not place.out.exists()
    # The next run says where it lies, and leaves it there.
    other = make_place(tmp_path / "other", "")
    with other.start(key_python, stderr=subprocess.PIPE) as next_run:
        said = next_run.communicate(timeout=profiling.TIMEOUT_S)[1]
    assert directory in said or " earlier runs were killed" in said  # where others are killed meanwhile
    done = recover(directory, env=place.environment)
    assert done.returncode == 0, done.stderr
    assert "Scalene: profile saved to %s\n" % place.out in done.stderr
    document = place.profile()
    assert document["ended"] == {"how": "exit", "status": 3}
    assert any("scalene was killed" in note for note in document["quality"]["notes"])
    assert {"before", "after"} <= functions_of(document)
    totals = document["totals"]
    told_s = totals["cpu_python_s"] + totals["cpu_native_s"] + totals["cpu_system_s"]
    assert 0.9 * float(used_s) <= told_s <= 1.1 * float(used_s) + 0.1
    assert not os.path.exists(directory)
    assert recover(directory, env=place.environment).returncode == 1
    other.assert_clean()


LONG = """
parent = os.getppid()
end = time.monotonic() + 24  # nine seconds after the fourth checkpoint, where most can be lost
while time.monotonic() < end:
    burn(0.005)
    time.sleep(0.005)
print("ready", flush=True)
while os.getppid() == parent:
    burn(0.005)
"""


@pytest.mark.skipif("SCALENE_TEST_ALL" not in os.environ, reason="takes half a minute: make soak")
def test_no_more_than_ten_seconds_are_lost(tmp_path):
    place = make_place(tmp_path, LONG)
    process, directory = start(place, profiling.key_pythons()[-1])
    copy = hold_with_copy(process)
    process.kill()
    process.communicate(timeout=profiling.TIMEOUT_S)
    wait_until(lambda: not is_alive(copy), "the copy outlives the program")
    assert recover(directory, env=place.environment).returncode == 0
    (note,) = [note for note in place.profile()["quality"]["notes"] if "scalene was killed" in note]
    lost_s = float(note.partition("which lines ran in the ")[2].split()[0])
    assert lost_s <= 10.5  # ten, and the moment in which the copy is made


def test_when_all_are_killed_the_checkpoint_is_recovered(key_python, tmp_path):
    place = make_place(tmp_path, TWO_PARTS % 0.1)
    process, directory = start(place, key_python)
    wait_for_checkpoint(directory)
    hold(process.pid)  # nobody goes on while the others are killed
    below = all_children(process.pid)
    for victim in below:
        hold(victim)
    for victim in [*below, process.pid]:
        os.kill(victim, signal.SIGKILL)
    process.communicate(timeout=profiling.TIMEOUT_S)
    wait_until(lambda: not any(map(is_alive, below)), "the killed live on")
    done = recover("-o", tmp_path / "mine.json", directory, env=place.environment)
    assert done.returncode == 0, done.stderr
    place.out = tmp_path / "mine.json"
    document = place.profile()
    assert document["ended"]["how"] == "running"
    assert any("checkpoint" in note for note in document["quality"]["notes"])
    assert not os.path.exists(directory)


# The parent ends once the child has been seen at work; that works on until it is told to do something else.
DAEMON = """
def before():
    sum(range(5000))
def after(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        sum(range(5000))
ours, its = os.pipe()
if os.fork():
    os.read(ours, 1)
    os._exit(3)
while not os.path.exists("go"):
    before()
    if its and time.process_time() > 0.2:
        os.write(its, b"!")
        its = None
after(0.5)
"""


def start_waiting(place, python, *options):
    """Returns when the profile is saved and scalene waits for the child."""
    process = place.start(python, *options, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    line = process.stderr.readline()
    assert "the program has ended, 1 process that it started" in line
    return process, int(line.split("(PID ")[1].split(")")[0])


def functions_of(document):
    return {row["line"] for content in document["files"].values() for row in content["functions"]}


def test_a_scalene_killed_while_it_waits_for_a_daemon_loses_nothing(key_python, tmp_path):
    place = make_place(tmp_path, DAEMON)
    process, daemon = start_waiting(place, key_python)
    (directory,) = place.run_dirs()
    wait_for_checkpoint(directory)  # what was kept before the profile was saved has gone
    copy = hold_with_copy(process)
    process.kill()
    process.wait(timeout=profiling.TIMEOUT_S)
    (tmp_path / "go").touch()
    wait_until(lambda: not is_alive(daemon) and not is_alive(copy), "the copy outlives all others")
    done = recover(directory, env=place.environment)
    assert done.returncode == 0, done.stderr
    document = place.profile()
    assert document["ended"] == {"how": "exit", "status": 3}
    assert {"before", "after"} <= functions_of(document)
    assert not os.path.exists(directory)


def test_a_checkpoint_is_never_older_than_the_profile_that_was_saved(tmp_path):
    place = make_place(tmp_path, DAEMON)
    process, daemon = start_waiting(place, profiling.key_pythons()[-1])
    (directory,) = place.run_dirs()
    wait_for_checkpoint(directory)
    saved = place.profile()
    hold(process.pid)  # it makes no more of them
    victims = [*copies(process), daemon]
    for victim in (*victims, process.pid):
        os.kill(victim, signal.SIGKILL)
    process.wait(timeout=profiling.TIMEOUT_S)
    wait_until(lambda: not any(map(is_alive, victims)), "the killed live on")
    done = recover(directory, env=place.environment)
    assert done.returncode == 0, done.stderr
    ends = [max(entry["end_s"] for entry in document["processes"]) for document in (saved, place.profile())]
    assert ends[1] >= ends[0]


def test_snapshots_go_on_while_a_daemon_is_waited_for(tmp_path):
    place = make_place(tmp_path, DAEMON.replace("after(0.5)", "while os.path.exists('go'):\n    after(0.1)"))
    process, _ = start_waiting(place, profiling.key_pythons()[-1], "--profile-interval", "0.2")
    assert "after" not in functions_of(place.profile())
    (tmp_path / "go").touch()
    wait_until(lambda: "after" in functions_of(place.profile()), "no snapshot is written")
    (tmp_path / "go").unlink()
    process.communicate(timeout=profiling.TIMEOUT_S)
    assert process.returncode == 3
    place.assert_clean()


def test_a_profile_can_be_had_while_the_program_goes_on(key_python, tmp_path):
    place = make_place(tmp_path, TWO_PARTS % 0.1)
    process, directory = start(place, key_python)
    wait_for_checkpoint(directory)
    done = recover(directory, "-o", tmp_path / "so-far.json", env=place.environment)
    assert done.returncode == 0
    assert "still runs" in done.stderr
    SCHEMA.validate(json.loads((tmp_path / "so-far.json").read_text()))
    (program,) = children(process.pid)
    os.kill(program, signal.SIGTERM)
    process.communicate(timeout=profiling.TIMEOUT_S)
    assert process.returncode == -signal.SIGTERM
    (tmp_path / "so-far.json").unlink()
    place.assert_clean()


KILLS = """
import glob, os, signal, subprocess, sys, time
sys.path.insert(0, sys.argv[4])
from endings import all_children, hold, is_alive
scalene, count, awaits_checkpoint = sys.argv[1], int(sys.argv[2]), sys.argv[3] == "True"
for i in range(count):
    run = subprocess.Popen([scalene, "run", "--python", sys.executable, "---", "-c",
                            "import time; print(1, flush=True); time.sleep(99)"], stdout=subprocess.PIPE)
    # A ring is there some 10 ms after the start, the first checkpoint after a second.
    awaited = "checkpoint.gz" if awaits_checkpoint else "[0-9]*.[0-9]*"
    deadline = time.monotonic() + 600
    while len(glob.glob("/dev/shm/scalene-*/" + awaited)) <= i:
        assert time.monotonic() < deadline
        time.sleep(0.002)
    hold(run.pid)
    below = all_children(run.pid)
    for victim in below:
        hold(victim)
    for victim in below + [run.pid]:
        os.kill(victim, signal.SIGKILL)
    run.wait()
    while [pid for pid in below if is_alive(pid)]:
        time.sleep(0.01)
if not awaits_checkpoint:  # of one that was killed later than it should
    for path in glob.glob("/dev/shm/scalene-*/checkpoint.gz"):
        os.unlink(path)
print(len(glob.glob("/dev/shm/scalene-*")), "left", flush=True)
"""


def kill_runs(count, awaits_checkpoint, then, folder):
    """Runs that are killed, in a /dev/shm of their own; then what follows."""
    if not can_mount():
        pytest.skip("mounting is not allowed here")
    (folder / "kills.py").write_text(KILLS + then)
    script = "mount -t tmpfs none /dev/shm; exec %s kills.py '%s' %d %s '%s'" % (
        PYTHON, profiling.SCALENE, count, awaits_checkpoint, os.path.dirname(__file__))
    return subprocess.run(["unshare", "-m", "sh", "-c", script], cwd=folder, capture_output=True, text=True,
                          env={**os.environ, "TMPDIR": str(folder)}, timeout=profiling.TIMEOUT_S)


RECOVER = """
sys.exit(subprocess.call([scalene, "recover"]))
"""


def test_the_only_one_needs_no_name(tmp_path):
    done = kill_runs(1, True, RECOVER, tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "1 left\n"
    SCHEMA.validate(json.loads((tmp_path / "scalene-profile.json").read_text()))


def test_several_are_listed(tmp_path):
    done = kill_runs(2, True, RECOVER, tmp_path)
    assert done.returncode == 1
    listed = [line for line in done.stdout.splitlines() if line.startswith("/dev/shm/scalene-")]
    assert len(listed) == 2
    assert all("-c, " in line for line in listed)
    assert done.stderr == "scalene: 2 runs can be recovered; name one of their directories\n"
    assert not (tmp_path / "scalene-profile.json").exists()


NEXT = """
subprocess.call([scalene, "run", "--python", sys.executable, "-o", "next.json", "---", "-c", "pass"])
print(len(glob.glob("/dev/shm/scalene-*")), "left", flush=True)
"""


def test_one_that_was_killed_at_once_is_swept(tmp_path):
    done = kill_runs(1, False, NEXT, tmp_path)
    assert done.stdout == "1 left\n0 left\n"
    assert "recover" not in done.stderr


def test_several_are_told_in_one_line(tmp_path):
    done = kill_runs(2, True, NEXT, tmp_path)
    assert done.stdout == "2 left\n2 left\n"
    assert "Scalene: 2 earlier runs were killed; their profiles: scalene recover\n" in done.stderr


@pytest.mark.parametrize("words, status, sentence", [
    (["/nowhere"], 1, "/nowhere is no directory of a run of yours; see them with scalene recover"),
    (["/tmp"], 1, "/tmp is no directory of a run of yours; see them with scalene recover"),
    (["a", "b"], 2, "recover takes one directory; 'b' is one too many"),
])
def test_bad_input_is_said_in_one_sentence(words, status, sentence):
    done = recover(*words)
    assert (done.returncode, done.stdout, done.stderr) == (status, "", "scalene: %s\n" % sentence)


def test_help_says_what_it_does():
    done = recover("--help")
    assert done.returncode == 0
    assert "whose scalene was killed" in done.stdout
