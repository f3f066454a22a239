# SPDX-License-Identifier: Apache-2.0
"""Programs that change what they stand on are profiled all the same, and so are their children."""

import concurrent.futures
import os

import profiling
import pytest

BURN_S = 0.2

# `act` is done by the program before it forks, or by its child.
PROGRAM = """
import os, resource, sys, time
def burn():
    end = time.process_time() + {burn}
    while time.process_time() < end:
        sum(range(1000))
def act():
    {act}
def child():
    {in_child}
    burn()
{in_program}
pid = os.fork()
if pid == 0:
    child()
    os._exit(0)
os.waitpid(pid, 0)
burn()
"""

ACTS = {
    "chdir": "os.chdir('/')",
    "chdir to a folder that goes": "os.mkdir('gone'); os.chdir('gone'); os.rmdir('../gone')",
    "umask": "os.umask(0o777)",
    "closerange": "os.closerange(0, 1000)",
    "no environment": "os.environ.clear()",
    "few descriptors": "resource.setrlimit(resource.RLIMIT_NOFILE, (16, 16))",
    "no core, no locks": "resource.setrlimit(resource.RLIMIT_MEMLOCK, (0, 0))",
    "a new session": "os.getpid() == os.getpgrp() or os.setsid()",
    "nice": "os.nice(5)",
}
AS_ROOT = {
    "chroot": "os.chroot(sys.argv[1])",
    "other user": "os.setgroups([]); os.setgid(65534); os.setuid(65534)",
    "other user by one call": "os.setresuid(65534, 65534, 65534)",
}
FORKED_AFTER = {"few descriptors at all": "resource.setrlimit(resource.RLIMIT_NOFILE, (0, 0))", **AS_ROOT}


def profile_acts(python, path, folder):
    out = folder / "profile.json"
    return profiling.profile(python, path, folder, out=out, cwd=folder)


def write(folder, act, in_program="", in_child=""):
    path = folder / "program.py"
    path.write_text(PROGRAM.format(burn=BURN_S, act=act, in_program=in_program, in_child=in_child))
    return path


def burnt(run):
    return [process["cpu_s"] for process in run.profile["processes"] if process["profiled"]]


@pytest.mark.parametrize("name", [*ACTS, *AS_ROOT])
def test_what_a_child_does_to_itself(name, tmp_path):
    if name in AS_ROOT and os.getuid() != 0:
        pytest.skip("only root can do that")
    run = profile_acts(profiling.key_pythons()[-1], write(tmp_path, {**ACTS, **AS_ROOT}[name], in_child="act()"), tmp_path)
    assert run.status == 0, run.stderr
    assert len(burnt(run)) == 2 and min(burnt(run)) >= BURN_S


@pytest.mark.parametrize("name", ACTS)
def test_what_the_program_does_before_it_forks(name, tmp_path):
    run = profile_acts(profiling.key_pythons()[0], write(tmp_path, ACTS[name], in_program="act()"), tmp_path)
    assert run.status == 0, run.stderr
    assert len(burnt(run)) == 2 and min(burnt(run)) >= BURN_S


@pytest.mark.parametrize("name", FORKED_AFTER)
def test_a_child_that_can_have_no_ring_any_more_is_told_of(name, tmp_path):
    if name in AS_ROOT and os.getuid() != 0:
        pytest.skip("only root can do that")
    run = profile_acts(profiling.key_pythons()[-1], write(tmp_path, FORKED_AFTER[name], in_program="act()"), tmp_path)
    assert run.status == 0, run.stderr
    assert len(burnt(run)) == 1
    outsider, = [process for process in run.profile["processes"] if not process["profiled"]]
    assert ("descriptor" if "descriptors" in name else "cannot reach") in outsider["why_not"]


def test_a_program_started_beyond_our_reach_does_not_hear_of_us(tmp_path):
    if os.getuid() != 0:
        pytest.skip("only root can do that")
    python = profiling.Python("/usr/bin/python3", "system", (), True)
    path = tmp_path / "program.py"
    path.write_text("import os, subprocess, sys\nos.setuid(65534)\nsubprocess.run(['/bin/sh', '-c', 'env'], check=True)")
    out = tmp_path / "profile.json"
    run = profiling.profile(python, path, out=out, cwd=tmp_path)
    assert run.status == 0
    assert "SCALENE_RUN_DIR" not in run.stdout and "ld.so" not in run.stderr
    assert any("cannot reach" in process.get("why_not", "") for process in run.profile["processes"])


NAMES = {
    "spaces": "a b/c  d.py", "quotes": "it's \"so\"/q'.py", "a newline": "one\ntwo/three\nfour.py",
    "not UTF-8": os.fsdecode(b"caf\xe9/\xff\xfe.py"), "unusual": "\u00e9\u4e16/\U0001f40d;$(id)&|.py", "dashes": "-x/--help.py",
    "long": "/".join(["x" * 200] * 19) + "/" + "y" * 100 + ".py",
}


@pytest.mark.parametrize("name", NAMES)
def test_paths(name, tmp_path):
    """Of the program, its folder, the profile and, where nothing is too long for it, the folder it is in."""
    python = profiling.key_pythons()[-1]
    text = PROGRAM.format(burn=BURN_S, act="pass", in_program="", in_child="")
    descriptor = os.open(tmp_path, os.O_RDONLY)
    *folders, file = NAMES[name].split("/")
    for folder in folders:
        os.mkdir(folder, dir_fd=descriptor)
        below = os.open(folder, os.O_RDONLY, dir_fd=descriptor)
        os.close(descriptor)
        descriptor = below
    with open(os.open(file, os.O_WRONLY | os.O_CREAT, dir_fd=descriptor), "w") as program:
        program.write(text)
    path = os.path.join(tmp_path, NAMES[name])
    # A path is 4,095 bytes at most: the program is then named from where it is.
    run = profiling.profile(python, path if len(path) < 4000 else "./" + file, out=tmp_path / "profile.json",
                            cwd="/proc/self/fd/%d" % descriptor, pass_fds=[descriptor], errors="replace")
    os.close(descriptor)
    assert run.status == 0, run.stderr
    assert len(burnt(run)) == 2
    found, = [lines for shown, lines in run.profile["files"].items() if shown.endswith(".py")]
    assert sum(line["cpu_python_s"] + line["cpu_native_s"] + line["cpu_system_s"]
               for line in found["lines"]) >= 2 * BURN_S * 0.9


def test_a_file_keeps_the_name_that_it_was_called_by(tmp_path):
    """By a link and by itself it is two, as it is to Python."""
    python = profiling.key_pythons()[-1]
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "real" / "child.py").write_text("import time\nwhile time.process_time() < 0.2: sum(range(1000))\n")
    path = tmp_path / "program.py"
    path.write_text("import subprocess, sys\nfor place in ('real', 'link'):\n"
                    "    subprocess.run([sys.executable, place + '/child.py'], check=True)\n")
    run = profiling.profile(python, path, out=tmp_path / "profile.json", cwd=tmp_path)
    names = [name for name in run.profile["files"] if name.endswith("child.py")]
    assert len(run.profile["processes"]) == 3
    assert sorted(names) == [str(tmp_path / place / "child.py") for place in ("link", "real")]


def test_twenty_at_once_do_not_disturb_one_another(tmp_path):
    python = profiling.key_pythons()[-1]
    path = write(tmp_path, "pass")

    def one(number):
        folder = tmp_path / str(number)
        folder.mkdir()
        return profile_acts(python, path, folder)

    with concurrent.futures.ThreadPoolExecutor(20) as workers:
        runs = list(workers.map(one, range(20)))
    assert [run.status for run in runs] == [0] * 20
    assert all(len(run.profile["processes"]) == 2 for run in runs)
    assert all(BURN_S <= cpu_s < 2 * BURN_S for run in runs for cpu_s in burnt(run))
    pids = [process["pid"] for run in runs for process in run.profile["processes"]]
    assert len(set(pids)) == 40
    assert not [note for run in runs for note in profiling.complaints(run.profile)]
