# SPDX-License-Identifier: Apache-2.0
"""Programs started by the program, whatever they are and however started, run as they do bare."""

import profiling
import pytest
from transparency import TARGETS, run_same


def processes(run):
    return [process for process in run.profile["processes"] if process["profiled"]]


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_multiprocessing_works_and_is_profiled(python, method, tmp_path):
    run = run_same(python, TARGETS / "multiprocess.py", method, folder=tmp_path)
    assert run.status == 0
    assert len(processes(run)) >= 6


def test_children_see_the_same_of_descriptors_and_signals(python, tmp_path):
    run = run_same(python, TARGETS / "subprocesses.py", folder=tmp_path)
    assert run.status == 0
    assert len(processes(run)) >= 10


COMMANDS = {
    "bash": "for i in 1 2 3; do (echo $i; exit 3) | cat; done; trap -p; ulimit -n; jobs; exit 4",
    "files": "ls -l /proc/self/fd | wc -l; mkdir d; touch d/a; ls -la d | wc -l; rm -r d; ls",
    "git": "git init -q r && cd r && git config maintenance.auto false && "
           "git -c user.name=a -c user.email=b commit -q --allow-empty -m x; git log --format=%s",
    "signals": "kill -s RTMAX-3 $$; sleep 5; echo not reached",
    "ignored": "trap '' RTMAX-3; kill -s RTMAX-3 $$; grep SigIgn /proc/self/status",
    "a static program": "ldd --version >/dev/null; /sbin/ldconfig -p | wc -l",
}


@pytest.mark.parametrize("name", COMMANDS)
def test_what_is_not_python_is_left_alone(name, tmp_path):
    python = profiling.pythons()[-1]
    code = "import subprocess, sys, shutil, os; os.makedirs('x'); os.chdir('x')\n" \
           "status = subprocess.call(['bash', '-c', sys.argv[1]]); os.chdir('..'); shutil.rmtree('x'); print(status)"
    run = run_same(python, "-c", code, COMMANDS[name], folder=tmp_path)
    assert len(processes(run)) == 1


ORPHAN = """
import os, time
read, write = os.pipe()
if os.fork() == 0:
    parent = os.getpid()
    if os.fork() == 0:
        while os.getppid() == parent:
            time.sleep(0.001)
        os.write(write, b"%d" % os.getppid())
    os._exit(0)
os.wait()
os.close(write)
print(os.read(read, 99))
"""


def test_an_orphan_has_the_parent_that_it_would_have(key_python, program):
    path = program(ORPHAN)
    run_same(key_python, path, folder=path.parent)
