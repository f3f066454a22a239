# SPDX-License-Identifier: Apache-2.0
"""A user without rights in a container: a small /dev/shm, a home that cannot be written to, no ptrace, no perf, and
in /proc only what is the user's own. The profile is whole."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import profiling
import pytest

NOBODY = 65534

# Run by the tests' own interpreter, in new namespaces, then replaced by the command.
ENTER = """
import ctypes, os, struct, subprocess, sys
folder, closed, tree, *command = sys.argv[1:]
def mount(*words):
    subprocess.run(["mount", *words], check=True)
mount("--make-rprivate", "/")
if closed:  # an interpreter below somebody's own folder: here it is nobody's, with nothing else in it
    os.umask(0o022)
    os.mkdir(folder + "/tree")
    mount("--bind", tree, folder + "/tree")
    mount("-t", "tmpfs", "-o", "mode=755", "tmpfs", closed)
    os.makedirs(tree)
    mount("--bind", folder + "/tree", tree)
mount("-t", "tmpfs", "-o", "size=64m,mode=1777", "tmpfs", "/dev/shm")
mount("-t", "proc", "-o", "hidepid=2", "proc", "/proc")
os.chmod(folder, 0o777)
os.setgroups([])
os.setresgid(65534, 65534, 65534)
os.setresuid(65534, 65534, 65534)
os.environ.update(HOME="/proc/home", TMPDIR=folder)
# As the usual filter of containers: these calls are refused.
refused = [101, 298, 310, 311]  # ptrace, perf_event_open, process_vm_readv, process_vm_writev
LOAD, JUMP_EQUAL, RETURN, REFUSE, ALLOW = 0x20, 0x15, 0x06, 0x00050001, 0x7fff0000
program = [(LOAD, 0, 0, 0)]
program += [(JUMP_EQUAL, len(refused) - i, 0, number) for i, number in enumerate(refused)]
program += [(RETURN, 0, 0, ALLOW), (RETURN, 0, 0, REFUSE)]
code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in program))
head = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", len(program), ctypes.addressof(code)))
libc = ctypes.CDLL(None, use_errno=True)
assert libc.prctl(38, 1, 0, 0, 0) == 0  # no new rights
assert libc.prctl(22, 2, ctypes.byref(head), 0, 0) == 0, ctypes.get_errno()
os.chdir(folder)
os.execv(command[0], command)
"""

PROGRAM = """
import multiprocessing, os, subprocess, sys, threading, time
kept = []
def burn(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        sum(range(1000))
def work(number):
    burn(0.3)
    return os.getpid()
if __name__ == "__main__":
    kept.append(bytearray(20 * 1024 * 1024))
    thread = threading.Thread(target=burn, args=(0.3,), name="worker")
    thread.start()
    thread.join()
    time.sleep(0.2)
    with multiprocessing.Pool(2) as pool:
        pool.map(work, range(4), chunksize=1)
        pool.close()
        pool.join()
    subprocess.run([sys.executable, "-c", "sum(range(3 * 10 ** 6))"], check=True)
"""


def run_inside(python, folder, *words, options=()):
    if os.getuid() != 0:
        pytest.skip("only root can make such a place")
    # Where everybody can read: a checkout may lie in somebody's own folder.
    for name in ("scalene", "libscalene-agent.so"):
        shutil.copy(profiling.BUILD / name, folder)
    out = folder / "profile.json"
    command = ["unshare", "--mount", "--pid", "--fork", sys.executable, "-c", ENTER, folder, *closed_folder(python),
               folder / "scalene", "run", "--python", python.path, "-o", out, *options, *words]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=profiling.TIMEOUT_S,
                          stdin=subprocess.DEVNULL)
    if "unshare failed" in done.stderr:
        pytest.skip("no namespaces here")
    assert done.returncode == 0 and out.exists(), done.stderr
    return json.loads(out.read_text()), done


def closed_folder(python):
    """The outermost folder that not every user can enter above an interpreter, and its outermost one below all such."""
    folders = list(reversed(pathlib.Path(python.path).resolve().parents))
    closed = [i for i, folder in enumerate(folders) if folder.stat().st_mode & 0o5 != 0o5]
    return (folders[closed[0]], folders[closed[-1] + 1]) if closed else ("", "")


@pytest.fixture
def folder():
    """Not in pytest's own folder, which every other run of it closes to other users when it begins."""
    with tempfile.TemporaryDirectory(prefix="container-") as path:
        yield pathlib.Path(path)


def cpu_of(line):
    return line["cpu_python_s"] + line["cpu_native_s"] + line["cpu_system_s"]


def test_the_profile_is_whole(folder, key_python):
    path = folder / "program.py"
    path.write_text(PROGRAM)
    document, done = run_inside(key_python, folder, path)
    assert document["python_version"].split(".") == [str(part) for part in key_python.version]
    lines = profiling.lines(document, "program.py")
    number = {text.strip(): i for i, text in enumerate(PROGRAM.splitlines(), 1)}
    assert done.stderr.count("\n") <= 4 + 3  # where it is, how to see it, and up to three findings
    assert len([process for process in document["processes"] if process["profiled"]]) >= 4
    # Five times 0.3 s, in whole windows of 10 ms.
    assert 1.35 <= sum(cpu_of(line) for line in lines.values()) <= 1.8
    assert lines[number["kept.append(bytearray(20 * 1024 * 1024))"]]["n_malloc_mb"] >= 19
    assert 0.15 <= lines[number["time.sleep(0.2)"]]["wait_s"]["sleep"] <= document["elapsed_time_sec"]
    assert "worker" in [thread["name"] for thread in document["threads"]]
    assert not [note for note in document["quality"]["notes"] if "not profiled" in note]


def test_a_hundred_processes_have_their_rings(folder):
    from test_children_many import AT_ONCE

    path = folder / "program.py"
    path.write_text(AT_ONCE)
    document, _ = run_inside(profiling.key_pythons()[-1], folder, path, 150, 0.02)
    assert [process["profiled"] for process in document["processes"]] == [True] * 151
