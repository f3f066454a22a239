# SPDX-License-Identifier: Apache-2.0
"""Interpreters that are not started by `python`, and stacks that are not where a thread began."""

import os
import subprocess

import profiling
import pytest
from transparency import TARGETS, run_same

GREENLETS = """
import greenlet, sys
def work(n):
    total = 0
    for i in range(100000):
        total += i % (n + 2)
        if i % 1000 == 0:
            greenlet.getcurrent().parent.switch()
    return total
pool = [greenlet.greenlet(work) for _ in range(20)]
for n in range(102):
    for one in pool:
        if not one.dead:
            result = one.switch(n) if n == 0 else one.switch()
print(result, all(one.dead for one in pool))
"""

GEVENT = """
import gevent.monkey; gevent.monkey.patch_all()
import gevent, subprocess, threading, time
def work(n):
    time.sleep(0.01)
    return sum(i % (n + 1) for i in range(50000))
print([job.get() for job in [gevent.spawn(work, n) for n in range(20)]])
print(subprocess.check_output(["echo", "x"]))
thread = threading.Thread(target=work, args=(1,)); thread.start(); thread.join()
"""


def build(python, folder):
    """An executable with this interpreter in it; None where it has no library and headers."""
    config = "%s-config" % os.path.realpath(python.path)
    if not os.path.exists(config):
        return None
    flags = subprocess.run([config, "--cflags", "--ldflags", "--embed"], stdout=subprocess.PIPE, text=True)
    prefix = os.path.dirname(os.path.dirname(config))
    if flags.returncode or not os.path.exists(prefix + "/lib/libpython%d.%d.so" % python.version[:2]):
        return None
    command = ["gcc", "-o", folder / "embedded", TARGETS / "embedded.c", *flags.stdout.split(),
               "-Wl,-rpath," + prefix + "/lib"]
    subprocess.run([str(word) for word in command], check=True, stderr=subprocess.DEVNULL)
    return folder / "embedded"


def test_an_interpreter_in_another_program_is_profiled(python, tmp_path):
    executable = build(python, tmp_path)
    if executable is None:
        pytest.skip("%s has no library to build with" % python)
    program = "import subprocess, sys; sys.exit(subprocess.call(sys.argv[1:]))"
    text = "total = 0\nfor i in range(3000000):\n    total += i\nprint(total)\n"
    (tmp_path / "inner.py").write_text(text, encoding="utf-8")
    run = run_same(python, "-c", program, executable, "inner.py", folder=tmp_path)
    assert run.status == 9
    assert profiling.lines(run.profile, "inner.py"), run.profile["quality"]["notes"]
    run = run_same(python, "-c", program, executable, folder=tmp_path)
    assert run.status == 9


@pytest.mark.parametrize("package", ["greenlet", "gevent"])
def test_stacks_of_its_own_making_do_no_harm(key_python, package, program, tmp_path):
    found = profiling.with_packages(key_python, package)
    if found is None:
        pytest.skip("%s cannot be had for %s" % (package, key_python))
    path = program({"greenlet": GREENLETS, "gevent": GEVENT}[package])
    run = run_same(found, path, folder=tmp_path, timeout=profiling.TIMEOUT_S)
    assert run.status == 0
    assert profiling.lines(run.profile, "program.py")
