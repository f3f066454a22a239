# SPDX-License-Identifier: Apache-2.0
"""The program finds the process it would have found without us."""

import os
import re
import resource
import shutil
import signal
import subprocess

import profiling
import pytest
from cli_runner import PYTHON, SCALENE, call, run, write

REPORT = """
import os, resource, signal, sys
def text_of(path):
    with open(path) as file:
        return file.read()
status = text_of("/proc/self/status")
print([line for line in status.splitlines()
       if line.startswith(("SigPnd", "SigBlk", "SigIgn", "Threads", "Umask"))])
print([(name, signal.getsignal(getattr(signal, name))) for name in dir(signal)
       if name.startswith("SIG") and not name.startswith("SIG_")])
print(sorted(os.listdir("/proc/self/fd"), key=int))
print([resource.getrlimit(getattr(resource, name)) for name in dir(resource)
       if name.startswith("RLIMIT_")])
print(os.getcwd(), os.umask(0), os.getpgrp() == os.getpgid(os.getppid()), os.nice(0))
print([(name, value) for name, value in os.environ.items()
       if name not in ("LD_PRELOAD", "SCALENE_RUN_DIR")])
print(signal.getitimer(signal.ITIMER_REAL)[1], sys.stdin, sys.stdout, sys.stderr)
"""


def compare(tmp_path, prepare=None, **how):
    write(tmp_path, "p.py", REPORT)
    how.setdefault("cwd", tmp_path)
    plain = call([PYTHON, tmp_path / "p.py"], preexec_fn=prepare, **how)
    words = [SCALENE, "run", "--python", PYTHON, "-o", tmp_path / "o.json", tmp_path / "p.py"]
    profiled = call(words, preexec_fn=prepare, **how)
    assert plain.returncode == profiled.returncode == 0, profiled.stderr
    assert profiled.stdout == plain.stdout
    return plain


def test_nothing_is_different(tmp_path):
    compare(tmp_path)


def test_ignored_signals_stay_ignored(tmp_path):
    def prepare():
        for name in (signal.SIGHUP, signal.SIGINT, signal.SIGCHLD, signal.SIGPIPE):
            signal.signal(name, signal.SIG_IGN)

    compare(tmp_path, prepare)


def test_blocked_signals_stay_blocked(tmp_path):
    compare(tmp_path, lambda: signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1, 10, 40}))


def test_an_odd_umask_stays(tmp_path):
    compare(tmp_path, lambda: os.umask(0o137))
    assert oct((tmp_path / "o.json").stat().st_mode & 0o777) == oct(0o640)


def test_limits_stay(tmp_path):
    def prepare():
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_NOFILE, (64, 128))
        resource.setrlimit(resource.RLIMIT_STACK, (1 << 22, 1 << 23))

    compare(tmp_path, prepare)


def test_open_descriptors_are_handed_on(tmp_path):
    read_end, write_end = os.pipe()
    plain = compare(tmp_path, pass_fds=[read_end, write_end])
    assert f"'{read_end}', '{write_end}'" in plain.stdout
    os.close(read_end)
    os.close(write_end)


@pytest.mark.parametrize("closed", [[0], [2], [0, 2]])
def test_closed_descriptors_stay_closed(tmp_path, closed):
    def prepare():
        for fd in closed:
            os.close(fd)

    compare(tmp_path, prepare)


def test_a_closed_stdout_stays_closed(tmp_path):
    program = write(tmp_path, "p.py", "import os, sys\nprint(os.path.exists('/proc/self/fd/1'),"
                                      " sys.stdout, file=sys.stderr)")
    for words in ([PYTHON], [SCALENE, "run", "--python", PYTHON]):
        result = call([*words, program], cwd=tmp_path, preexec_fn=lambda: os.close(1))
        assert result.stderr.splitlines()[0] == "False None"


def test_nohup(tmp_path):
    program = write(tmp_path, "p.py", "import signal; print(repr(signal.getsignal(signal.SIGHUP)))")
    plain = call(["nohup", PYTHON, program], cwd=tmp_path)
    profiled = call(["nohup", SCALENE, "run", "--python", PYTHON, program], cwd=tmp_path)
    assert plain.stdout == profiled.stdout
    assert "SIG_IGN" in plain.stdout


def test_an_alarm_of_the_caller_rings_in_the_program(tmp_path):
    """The program has the rest of it, and shortens that."""
    program = write(tmp_path, "p.py", "import signal\nprint(signal.getitimer(signal.ITIMER_REAL)[0] > 0, flush=True)\n"
                                      "signal.setitimer(signal.ITIMER_REAL, 0.01)\nwhile True: pass")
    words = [SCALENE, "run", "--python", PYTHON, program]
    result = call(words, cwd=tmp_path,
                  preexec_fn=lambda: signal.setitimer(signal.ITIMER_REAL, profiling.TIMEOUT_S))
    assert (result.returncode, result.stdout) == (-signal.SIGALRM, "True\n")
    assert "profile saved" in result.stderr


def test_what_was_preloaded_still_is(tmp_path, monkeypatch):
    program = write(tmp_path, "p.py", "import os; print(os.environ['LD_PRELOAD'])")
    library = next(line.split()[-1] for line in open("/proc/self/maps") if "libm.so" in line or
                   "libz.so" in line or "libexpat" in line)
    monkeypatch.setenv("LD_PRELOAD", library)
    assert run(program, cwd=tmp_path).stdout.strip().endswith(":" + library)


def test_an_installation_in_an_odd_place_works(tmp_path):
    place = tmp_path / "a b:c"
    place.mkdir()
    folder = os.path.dirname(SCALENE)
    agent = next(path for path in (f"{folder}/libscalene-agent.so",
                                   f"{folder}/../agent/libscalene-agent.so")
                 if os.path.exists(path))
    shutil.copy(SCALENE, place / "scalene")
    shutil.copy(agent, place / "libscalene-agent.so")
    program = write(tmp_path, "p.py", "print('agent' in open('/proc/self/maps').read())")
    result = call([place / "scalene", "run", "--python", PYTHON, program], cwd=tmp_path)
    assert result.stdout == "True\n"
    assert "cannot be preloaded" not in result.stderr


ALLOWED = {"ld-linux", "libc", "libm", "libdl", "libdw", "libelf", "libjansson", "libyaml",
           "libz", "libbz2", "liblzma", "libzstd"}


def test_run_loads_few_libraries(tmp_path):
    program = write(tmp_path, "p.py", "import os; print(open(f'/proc/{os.getppid()}/maps').read())")
    maps = run(program, cwd=tmp_path).stdout
    loaded = set(re.findall(r"/(ld-linux|lib[a-z]+[0-9]*)[^/\s]*\.so[.0-9]*$", maps, re.MULTILINE))
    assert "libc" in loaded
    assert loaded - ALLOWED == set()


def test_a_signal_to_the_group_reaches_the_program(tmp_path):
    program = write(tmp_path, "p.py", "import time; print('ready', flush=True)\nwhile True: time.sleep(0.05)")
    words = [SCALENE, "run", "--python", PYTHON, program]
    with subprocess.Popen(words, cwd=tmp_path, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, start_new_session=True) as process:
        assert process.stdout.readline() == "ready\n"
        os.killpg(process.pid, signal.SIGTERM)
        _, err = process.communicate(timeout=profiling.TIMEOUT_S)
    assert process.returncode == -signal.SIGTERM
    assert "profile saved" in err
