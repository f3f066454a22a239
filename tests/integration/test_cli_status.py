# SPDX-License-Identifier: Apache-2.0
"""A profiled program ends as it would have ended without us, and its profile is there."""

import json
import os
import shutil
import signal
import subprocess

import profiling
import pytest
from cli_runner import PYTHON, SCALENE, bare, program_stderr, run, write

ENDINGS = {
    "falls off the end": "",
    "exit 0": "import sys; sys.exit(0)",
    "exit 3": "import sys; sys.exit(3)",
    "exit 255": "import sys; sys.exit(255)",
    "exit -1": "import sys; sys.exit(-1)",
    "exit None": "import sys; sys.exit(None)",
    "exit without value": "import sys; sys.exit()",
    "exit with a text": "import sys; sys.exit('sorry')",
    "exit True": "import sys; sys.exit(True)",
    "an exception": "raise ValueError('x')",
    "a syntax error": "def f(:",
    "os._exit": "import os; os._exit(7)",
    "SIGTERM": "import os, signal; os.kill(os.getpid(), signal.SIGTERM)",
    "SIGKILL": "import os, signal; os.kill(os.getpid(), signal.SIGKILL)",
    "SIGINT uncaught": "import os, signal; os.kill(os.getpid(), signal.SIGINT); input()",
    "SIGABRT": "import os; os.abort()",
    "a crash": "import ctypes; ctypes.string_at(0)",
    "SIGHUP": "import os, signal; os.kill(os.getpid(), signal.SIGHUP)",
}


@pytest.mark.parametrize("ending", ENDINGS)
def test_the_ending_is_the_programs(ending, tmp_path):
    program = write(tmp_path, "p.py", "print('out', flush=True)\n" + ENDINGS[ending] + "\n")
    plain = bare(program, cwd=tmp_path)
    profiled = run("-o", "out.json", program, cwd=tmp_path)
    assert profiled.returncode == plain.returncode
    assert profiled.stdout == plain.stdout
    assert program_stderr(profiled) == plain.stderr
    assert "Scalene: profile saved to out.json" in profiled.stderr
    assert json.loads((tmp_path / "out.json").read_text())["program"] == str(program)


def test_the_closing_lines_name_the_file_only_if_it_is_not_the_default(tmp_path):
    program = write(tmp_path, "p.py", "")
    lines = run(program, cwd=tmp_path).stderr
    assert "\nScalene: profile saved to scalene-profile.json\n" in lines
    assert lines.endswith("scalene view --cli\n")
    (tmp_path / "d").mkdir()
    lines = run("-o", "d/scalene-profile.json", program, cwd=tmp_path).stderr
    assert lines.endswith("scalene view --cli d/scalene-profile.json\n")
    lines = run("-o", "a b.json", program, cwd=tmp_path).stderr
    assert lines.endswith("scalene view --cli 'a b.json'\n")


def test_a_program_that_was_too_short_is_told_why(tmp_path):
    program = write(tmp_path, "p.py", "pass")
    assert "nothing to show" in run(program, cwd=tmp_path).stderr


WAITER = """
import signal, sys, time
def handler(number, frame):
    print("got", signal.Signals(number).name, flush=True)
    sys.exit(9)
for name in ("SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2", "SIGINT", "SIGRTMIN"):
    signal.signal(getattr(signal, name), handler)
print("ready", flush=True)
while True:  # in short steps, for a signal may come just before Python blocks
    time.sleep(0.05)
"""


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2", "SIGINT", "SIGRTMIN"])
def test_a_signal_sent_to_scalene_reaches_the_program(name, tmp_path):
    program = write(tmp_path, "p.py", WAITER)
    words = [SCALENE, "run", "--python", PYTHON, program]
    with subprocess.Popen(words, cwd=tmp_path, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as process:
        assert process.stdout.readline() == "ready\n"
        process.send_signal(getattr(signal, name))
        out, err = process.communicate(timeout=profiling.TIMEOUT_S)
    assert out == f"got {name}\n"
    assert process.returncode == 9
    assert "profile saved" in err


def test_when_scalene_is_killed_the_program_goes_on(tmp_path):
    program = write(tmp_path, "p.py", """
import os, time
parent = os.getppid()
print(os.environ["SCALENE_RUN_DIR"], flush=True)
while os.getppid() == parent:
    time.sleep(0.01)
sum(i * i for i in range(1000000))
print("done", flush=True)
""")
    words = [SCALENE, "run", "--python", PYTHON, program]
    with subprocess.Popen(words, cwd=tmp_path, text=True, stdout=subprocess.PIPE) as process:
        directory = process.stdout.readline().strip()
        process.kill()
        assert process.stdout.readline() == "done\n"
    shutil.rmtree(directory, ignore_errors=True)  # a later run would, if there was one already


def test_the_run_directory_is_gone_afterwards(tmp_path):
    program = write(tmp_path, "p.py", "import os; print(os.environ['SCALENE_RUN_DIR'])")
    result = run(program, cwd=tmp_path)
    directory = result.stdout.strip()
    assert "scalene-" in directory
    assert not os.path.exists(directory)


def test_the_profile_is_written_meanwhile_and_nothing_is_said(tmp_path):
    program = write(tmp_path, "p.py", f"""
import json, os, time
deadline = time.monotonic() + {profiling.TIMEOUT_S / 2}
while not os.path.exists("out.json") and time.monotonic() < deadline:
    time.sleep(0.01)
print(json.load(open("out.json"))["ended"]["how"])
""")
    result = run("--profile-interval", "0.2", "-o", "out.json", program, cwd=tmp_path)
    assert result.stdout == "running\n"
    assert result.stderr.count("profile saved") == 1
    assert json.loads((tmp_path / "out.json").read_text())["ended"] == {"how": "exit", "status": 0}
