# SPDX-License-Identifier: Apache-2.0
"""However a program ends: status and output as bare, a valid profile, and nothing left behind."""

import concurrent.futures
import json
import os
import pathlib
import re
import resource
import signal
import subprocess
import time

import profiling
import pytest
from endings import all_children, can_mount, children, hold, make_place, name_of, state_of, wait_until

EXITS = {
    "None": "sys.exit(None)",
    "a negative number": "sys.exit(-1)",
    "a large number": "sys.exit(256 + 7)",
    "a very large number": "sys.exit(2 ** 80)",
    "True": "sys.exit(True)",
    "a text": "sys.exit('sorry')",
    "a tuple": "sys.exit((1, 2))",
    "an exception": "sys.exit(ValueError('x'))",
    "in a thread": "t = threading.Thread(target=sys.exit, args=(5,)); t.start(); t.join()",
    "while another thread runs": "threading.Thread(target=burn, args=(0.2,)).start(); sys.exit(4)",
    "in atexit": "import atexit; atexit.register(os._exit, 6)",
    "uncaught": "1 / 0",
    "os._exit": "os._exit(9)",
    "os.abort": "os.abort()",
    "a crash": "import ctypes; ctypes.string_at(0)",
    "SIGHUP": "os.kill(os.getpid(), signal.SIGHUP); time.sleep(9)",
    "SIGKILL": "os.kill(os.getpid(), signal.SIGKILL); time.sleep(9)",
    "no memory": "import resource; resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30)); bytearray(1 << 40)",
}


def run_bare(place, python):
    return subprocess.run([python.path, str(place.program)], cwd=place.folder, capture_output=True,
                          text=True, stdin=subprocess.DEVNULL, env=place.environment, timeout=profiling.TIMEOUT_S)


def run_profiled(place, python, *options):
    with place.start(python, *options, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        out, err = process.communicate(timeout=profiling.TIMEOUT_S)
    return subprocess.CompletedProcess([], process.returncode, out, err)


def own_words(stderr):
    return stderr.split("\nScalene: ")[0]


def compare(name, python, folder):
    place = make_place(folder / re.sub(r"\W", "_", name), "burn(0.06)\nprint('out', flush=True)\n" + EXITS[name])
    bare, profiled = run_bare(place, python), run_profiled(place, python)
    assert profiled.returncode == bare.returncode, name
    assert (profiled.stdout, own_words(profiled.stderr)) == (bare.stdout, bare.stderr), name
    document = place.profile()
    how = {"how": "exit", "status": bare.returncode}
    if bare.returncode < 0:
        how = {"how": "signal", "status": -bare.returncode}
    assert document["ended"] == how, name
    assert document["quality"]["cpu_samples"] >= 1, name
    place.assert_clean()


def test_every_exit_is_the_programs(key_python, tmp_path):
    """Two at a time, as much of it is waiting."""
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for done in [pool.submit(compare, name, key_python, tmp_path) for name in EXITS]:
            done.result()


def wait_status(command, folder, environment):
    """Of what may leave a core file."""
    def allow_cores():
        resource.setrlimit(resource.RLIMIT_CORE, (resource.getrlimit(resource.RLIMIT_CORE)[1],) * 2)

    process = subprocess.Popen(command, cwd=folder, env=environment, preexec_fn=allow_cores, stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status = os.waitpid(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return status


def test_the_core_file_is_the_programs_alone(key_python, tmp_path):
    place = make_place(tmp_path, "os.abort()")
    bare = wait_status([key_python.path, place.program], tmp_path, place.environment)
    ours = wait_status(place.command(key_python), tmp_path, place.environment)
    assert os.WTERMSIG(bare) == os.WTERMSIG(ours) == signal.SIGABRT
    assert not os.WCOREDUMP(ours)


READS_ON = """
signal.signal(signal.SIGPIPE, %s)
for i in range(100000):
    print("line", i, flush=True)
"""


@pytest.mark.parametrize("how", ["signal.SIG_IGN", "signal.SIG_DFL"])
def test_a_reader_that_stops_reading_ends_the_program_as_ever(how, key_python, tmp_path):
    place = make_place(tmp_path, READS_ON % how)

    def into_head(command):
        with open(place.temporary / "err", "w+") as err:
            writer = subprocess.Popen(command, cwd=tmp_path, env=place.environment, stdout=subprocess.PIPE,
                                      stderr=err, stdin=subprocess.DEVNULL)
            head = subprocess.run(["head", "-1"], stdin=writer.stdout, capture_output=True, text=True)
            writer.stdout.close()
            status = writer.wait(profiling.TIMEOUT_S)
            err.seek(0)
            words = err.read()
        os.unlink(place.temporary / "err")
        return status, head.stdout, words

    bare = into_head([key_python.path, str(place.program)])
    status, out, err = into_head(place.command(key_python))
    assert (status, out, own_words(err)) == bare
    assert "profile saved" in err
    assert place.profile()["ended"]["status"] == abs(bare[0])
    place.assert_clean()


def test_closing_lines_that_nobody_reads_change_nothing(key_python, tmp_path):
    place = make_place(tmp_path, "print('first', file=sys.stderr); burn(0.1); sys.exit(3)")
    with place.start(key_python, stderr=subprocess.PIPE) as process:
        assert process.stderr.readline() == "first\n"
        process.stderr.close()
        assert process.wait(profiling.TIMEOUT_S) == 3
    assert place.profile()["ended"] == {"how": "exit", "status": 3}
    place.assert_clean()


EATS = """
print("ready", flush=True)
hoard = []
burn(0.1)
while True:
    hoard.append(bytearray(b"x" * (4 << 20)))
"""


class MemoryGroup:
    """A control group with a limit on memory, of either version."""

    def __init__(self, name, limit):
        version_1, version_2 = "/sys/fs/cgroup/memory", "/sys/fs/cgroup"
        is_1 = os.path.exists(version_1 + "/memory.limit_in_bytes")
        self.path = os.path.join(version_1 if is_1 else version_2, name)
        os.mkdir(self.path)
        with open(self.path + ("/memory.limit_in_bytes" if is_1 else "/memory.max"), "w") as file:
            file.write(str(limit))

    def join(self):
        with open(self.path + "/cgroup.procs", "w") as file:
            file.write(str(os.getpid()))

    def remove(self):
        def is_removed():
            try:
                os.rmdir(self.path)
            except OSError:
                pass
            return not os.path.exists(self.path)

        wait_until(is_removed, "the control group stays")


def test_a_program_that_the_kernel_kills_for_its_memory_has_a_profile(key_python, tmp_path):
    place = make_place(tmp_path, EATS)
    try:
        group = MemoryGroup("scalene-test-%d" % os.getpid(), 256 << 20)
    except OSError:
        pytest.skip("control groups cannot be made here")
    try:
        with place.start(key_python, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=group.join) as process:
            process.communicate(timeout=profiling.TIMEOUT_S)
        assert process.returncode == -signal.SIGKILL
        document = place.profile()
        assert document["ended"] == {"how": "signal", "status": signal.SIGKILL}
        assert document["max_footprint_mb"] > 100
        place.assert_clean()
    finally:
        group.remove()


READY = """
open("ready", "w").close()
while not os.path.exists("go"):
    time.sleep(0.01)
burn(0.1)
sys.exit(5)
"""

SPOILT = """
mount -t tmpfs -o size=4m none full && echo old > full/profile.json
%s & until [ -e ready ]; do sleep 0.02; done
%s
touch go; wait $!; echo status $?; cat full/profile.json
"""


@pytest.mark.parametrize("spoils, why", [
    ("dd if=/dev/zero of=full/zeros bs=64k 2>/dev/null", "No space left on device"),
    ("mount -o remount,ro full", "Read-only file system"),
], ids=["full", "read-only"])
def test_a_place_that_is_spoilt_meanwhile_loses_nothing(spoils, why, key_python, tmp_path):
    if not can_mount():
        pytest.skip("mounting is not allowed here")
    place = make_place(tmp_path, READY)
    (tmp_path / "full").mkdir()
    place.out = "full/profile.json"
    command = " ".join("'%s'" % word for word in place.command(key_python))
    done = subprocess.run(["unshare", "-m", "sh", "-c", SPOILT % (command, spoils)], cwd=tmp_path,
                          env=place.environment, capture_output=True, text=True, timeout=profiling.TIMEOUT_S)
    assert done.stdout == "status 5\nold\n"
    assert "scalene: cannot write full/profile.json: " + why in done.stderr
    (saved,) = place.temporary.iterdir()
    assert "Scalene: profile saved to %s\n" % saved in done.stderr
    place.out = saved
    assert place.profile()["ended"] == {"how": "exit", "status": 5}


def test_a_temporary_folder_that_is_gone_too_is_not_the_last_place(key_python, tmp_path):
    place = make_place(tmp_path, "os.rmdir('place'); os.rmdir('tmp'); sys.exit(5)")
    (tmp_path / "place").mkdir()
    place.out = "place/profile.json"
    done = run_profiled(place, key_python)
    assert done.returncode == 5
    saved, = re.findall("Scalene: profile saved to (.*)", done.stderr)
    place.out = pathlib.Path(saved)
    assert place.profile()["ended"] == {"how": "exit", "status": 5}
    place.out.unlink()


LIMITED = """
import resource
print(resource.getrlimit(resource.RLIMIT_FSIZE)[0])
burn(0.1)
sys.exit(5)
""" + "# a line that is in the profile too\n" * 3000


def run_limited(place, python, blocks):
    command = " ".join("'%s'" % word for word in place.command(python))
    return subprocess.run(["sh", "-c", "ulimit -S -f %d; exec %s" % (blocks, command)], cwd=place.folder,
                          env=place.environment, capture_output=True, text=True, timeout=profiling.TIMEOUT_S)


def test_the_programs_limit_on_files_does_not_hold_for_the_profile(key_python, tmp_path):
    place = make_place(tmp_path, LIMITED)
    done = run_limited(place, key_python, 300)
    assert (done.returncode, done.stdout) == (5, "153600\n"), done.stderr
    assert place.out.stat().st_size > 153600
    document = json.loads(place.out.read_text())  # to validate all these lines takes long
    assert [process["profiled"] for process in document["processes"]] == [True]
    place.assert_clean()


def test_where_no_file_may_be_large_enough_the_program_runs_unprofiled(key_python, tmp_path):
    place = make_place(tmp_path, LIMITED)
    done = run_limited(place, key_python, 8)
    assert (done.returncode, done.stdout) == (5, "4096\n"), done.stderr
    assert re.fullmatch(r"scalene: cannot profile: .*ulimit -f.*; the program runs unprofiled\n", done.stderr)
    place.assert_clean()


# From its first checkpoint on scalene gets no more memory, and each child needs some.
STARVED = """
import resource
burn(0.1)
while not os.path.exists(os.environ["SCALENE_RUN_DIR"] + "/checkpoint.gz"):
    time.sleep(0.01)
resource.prlimit(os.getppid(), resource.RLIMIT_DATA, (0, 0))
for _ in range(500):
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)
print("done")
sys.exit(5)
"""


def test_scalene_out_of_memory_is_not_the_programs_business(key_python, tmp_path):
    place = make_place(tmp_path, STARVED)
    done = run_profiled(place, key_python)
    assert (done.returncode, done.stdout) == (5, "done\n")
    directory, = re.findall("scalene: out of memory\nscalene: the program is not disturbed.*scalene recover (.*)", done.stderr)

    def is_recovered():
        """And removed, which is not done while scalene's copy reads what is left."""
        done = subprocess.run([profiling.SCALENE, "recover", directory], env=place.environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return not os.path.exists(directory)

    wait_until(is_recovered, "the copy does not end")
    assert place.profile()["processes"]
    place.assert_clean()


def test_a_folder_that_cannot_be_written_is_said_before_the_program_starts(key_python, tmp_path):
    place = make_place(tmp_path, "print('ran')")
    place.out = "/proc/profile.json"
    done = run_profiled(place, key_python)
    assert done.returncode == 1
    assert done.stdout == ""
    assert re.fullmatch(r"scalene: cannot write the profile to /proc/profile.json: [^\n]+-o FILE\n", done.stderr)


def test_a_program_that_is_killed_while_it_is_stopped_has_a_profile(key_python, tmp_path):
    place = make_place(tmp_path, "print('ready', flush=True); burn(0.2); os.kill(os.getpid(), signal.SIGSTOP)")
    with place.start(key_python, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout.readline() == "ready\n"
        (program,) = children(process.pid)
        wait_until(lambda: state_of(program) == "T", "the program does not stop")
        os.kill(program, signal.SIGKILL)
        assert process.wait(profiling.TIMEOUT_S) == -signal.SIGKILL
    assert place.profile()["ended"] == {"how": "signal", "status": signal.SIGKILL}
    place.assert_clean()


COUNTS = """
counts = {}
def count(number, frame):
    counts[number] = counts.get(number, 0) + 1
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1, signal.SIGHUP):
    signal.signal(number, count)
for line in sys.stdin:
    if line.strip() == "leave":
        os.setpgid(0, 0)
    elif line.strip() == "signal":
        os.killpg(0, signal.SIGUSR1)
    print(sum(counts.values()), flush=True)
"""


def pending_signals(pid):
    with open("/proc/%d/status" % pid) as file:
        fields = dict(line.split(":", 1) for line in file)
    return int(fields["SigPnd"], 16) | int(fields["ShdPnd"], 16)


class Counting:
    """A program that counts its signals, in a process group of its own with scalene."""

    def __init__(self, process):
        self.process = process
        self.expected = 0

    def say(self, word):
        self.process.stdin.write(word + "\n")
        self.process.stdin.flush()
        return int(self.process.stdout.readline())

    def is_all_read(self):
        """Whether scalene and who tells it whether its group was meant have taken what was sent: while it waits, the
        next one of its kind is lost."""
        (witness,) = [pid for pid in all_children(self.process.pid) if name_of(pid) == "witness"]
        return not pending_signals(self.process.pid) and not pending_signals(witness)

    def gets_one(self, send, what):
        """And no second: one that is passed on comes within a moment."""
        send()
        self.expected += 1
        wait_until(lambda: self.say("count") >= self.expected, what)
        wait_until(self.is_all_read, what)
        time.sleep(0.15)
        assert self.say("count") == self.expected, what


def signal_one_by_one(process):
    """As a supervisor does with all processes of a service; scalene looks once all have it, however slow we are."""
    hold(process.pid)
    for pid in (process.pid, *all_children(process.pid)):
        os.kill(pid, signal.SIGTERM)
    os.kill(process.pid, signal.SIGCONT)


def test_a_signal_reaches_the_program_once_however_it_is_sent(key_python, tmp_path):
    place = make_place(tmp_path, COUNTS)
    with place.start(key_python, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                     start_new_session=True) as process:
        program = Counting(process)
        assert program.say("count") == 0
        program.gets_one(lambda: os.killpg(process.pid, signal.SIGINT), "sent to the group")
        program.gets_one(lambda: os.killpg(process.pid, signal.SIGINT), "sent to the group again")
        program.gets_one(lambda: os.kill(process.pid, signal.SIGINT), "sent to scalene alone")
        program.gets_one(lambda: os.kill(*children(process.pid), signal.SIGINT), "sent to the program alone")
        program.gets_one(lambda: program.say("signal"), "sent to the group by the program")
        program.gets_one(lambda: signal_one_by_one(process), "sent to each process")
        program.say("leave")
        program.gets_one(lambda: os.killpg(process.pid, signal.SIGHUP), "sent to the group that it has left")
        process.stdin.close()
        assert process.wait(profiling.TIMEOUT_S) == 0
    assert profiling.complaints(place.profile()) == []
    place.assert_clean()
