# SPDX-License-Identifier: Apache-2.0
"""Whatever cannot work is said in one sentence, before the program starts."""

import os
import pathlib
import re
import shutil
import subprocess

import pytest
from cli_runner import PYTHON, SCALENE, call, run, scalene, write


def assert_refused(result, sentence, status=1):
    assert result.returncode == status
    assert sentence in result.stderr
    assert re.fullmatch(r"scalene: [^\n]+\n", result.stderr), "one sentence"
    assert result.stdout == "", "the program must not have run"


@pytest.fixture
def program(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    return write(tmp_path, "p.py", "print('ran')")


def test_no_program(program):
    assert_refused(run(), "no input file specified")
    assert_refused(run("---"), "no input file specified")
    assert_refused(run("-m"), "nothing follows -m")


def test_a_missing_file(program):
    assert_refused(run("gone.py"), "could not find input file gone.py")
    assert_refused(run("---", "-X", "dev", "gone.py"), "could not find input file gone.py")


def test_a_directory_without_main(program, tmp_path):
    (tmp_path / "d").mkdir()
    assert_refused(run("d"), "a directory without __main__.py")
    write(tmp_path, "d/__main__.py", "print('main')")
    assert run("d").stdout == "main\n"


@pytest.mark.parametrize(
    "interpreter, sentence",
    [
        ("python3.77", "not found in PATH"),
        ("/nowhere/python3", "No such file or directory"),
        ("/tmp", "it is a directory"),
        ("/etc/passwd", "it is not executable"),
        ("/bin/ls", "not a CPython interpreter"),
    ],
)
def test_an_interpreter_that_cannot_be_used(program, interpreter, sentence):
    assert_refused(scalene("run", "--python", interpreter, "p.py"), sentence)


def test_no_interpreter_at_all(program, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert_refused(scalene("run", "p.py"), "neither python3 nor python in PATH")


def test_a_static_interpreter(program, tmp_path):
    compiler = shutil.which("cc")
    if not compiler:
        pytest.fail("a C compiler is needed")
    write(tmp_path, "s.c", "int main(void) { return 0; }")
    call([compiler, "-static", "-o", "python3", "s.c"])
    assert_refused(scalene("run", "--python", "./python3", "p.py"), "statically linked")


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a file away")
def test_an_interpreter_with_other_rights(program, tmp_path):
    copy = tmp_path / "python3"
    shutil.copy(PYTHON, copy)
    os.chown(copy, 65534, 65534)
    os.chmod(copy, 0o4755)
    assert_refused(scalene("run", "--python", copy, "p.py"), "with other rights than yours")


def test_an_output_that_cannot_be_written(program, tmp_path):
    (tmp_path / "d").mkdir()
    assert_refused(run("-o", "d", "p.py"), "outfile 'd' is a directory")
    assert_refused(run("-o", "/nowhere/x.json", "p.py"), "cannot write the profile to /nowhere/x")
    assert_refused(run("-o", "/proc/x.json", "p.py"), "choose another place with -o FILE")


def test_a_missing_agent(program, tmp_path):
    place = tmp_path / "alone"
    place.mkdir()
    shutil.copy(SCALENE, place / "scalene")
    result = call([place / "scalene", "run", "p.py"])
    assert_refused(result, "libscalene-agent.so is neither beside")


def in_own_mounts(script):
    """Runs a shell script where mounts are its own; None where that is not allowed."""
    probe = subprocess.run(["unshare", "-m", "true"], capture_output=True)
    if probe.returncode != 0:
        return None
    return call(["unshare", "-m", "sh", "-c", script])


@pytest.mark.parametrize("mount", ["umount -l /dev/shm", "mount -t tmpfs -o size=4m none /dev/shm"])
def test_a_missing_or_small_shared_memory_is_done_without(program, mount):
    result = in_own_mounts(f"{mount}; rmdir /dev/shm 2>/dev/null; {SCALENE} run --python {PYTHON} p.py")
    if result is None:
        pytest.skip("mounting is not allowed here")
    assert result.returncode == 0
    assert result.stdout == "ran\n"
    assert "profile saved" in result.stderr


def test_without_any_place_the_program_runs_unprofiled(program):
    full = "mount -t tmpfs -o size=64k none"
    result = in_own_mounts(
        f"exec 3>/dev/null; cd /; {full} /dev/shm; {full} /tmp; export TMPDIR=/tmp; echo 'print(42)' > /tmp/p.py;"
        f"{SCALENE} run --python {PYTHON} -o /var/tmp/x.json /tmp/p.py"
    )
    if result is None:
        pytest.skip("mounting is not allowed here")
    if str(pathlib.Path(SCALENE)).startswith("/tmp"):
        pytest.skip("the build lies in /tmp")
    assert result.stdout == "42\n"
    assert "the program runs unprofiled" in result.stderr
    assert len(result.stderr.splitlines()) == 1
