# SPDX-License-Identifier: Apache-2.0
"""However a program ends, its status is its own and its profile is written and valid."""

import json
import os
import random
import re
import signal
import subprocess
import time

import jsonschema
import profiling
import pytest
from endings import children
from transparency import assert_same, both

with open(profiling.ROOT / "docs" / "profile.schema.json", encoding="utf-8") as schema_file:
    SCHEMA = jsonschema.Draft202012Validator(json.load(schema_file))

BURN = """
import os, signal, sys, threading, time, faulthandler
def burn(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        sum(range(200))
def wait_for_ever(lock):
    lock.acquire(); lock.acquire()
def crash_when_awaited():
    code = wait_for_ever.__code__
    def is_awaited():
        frame = sys._current_frames()[threading.main_thread().ident]
        return frame.f_code is code and frame.f_lineno == code.co_firstlineno + 1
    while not is_awaited():  # where the main thread is shown
        time.sleep(0.01)
    faulthandler._sigsegv()
def beside(function):
    thread = threading.Thread(target=function)
    thread.start()
    return thread
burn(0.1)
time.sleep(0)  # a call: what was not sampled yet, on a crowded machine, is so before the end
"""

EXIT, SIGNAL = "exit", "signal"
ENDINGS = {  # and those of test_endings.py
    "the end": ("", EXIT, 0),
    "a status": ("sys.exit(3)", EXIT, 3),
    "an exception in a thread": ("beside(lambda: 1 / 0).join()", EXIT, 0),
    "os._exit in a thread": ("beside(lambda: os._exit(8)).join(); time.sleep(9)", EXIT, 8),
    "a crash that is explained": ("faulthandler.enable(); faulthandler._sigsegv()", SIGNAL, signal.SIGSEGV),
    "a crash in a thread": ("faulthandler.enable(); beside(crash_when_awaited); wait_for_ever(threading.Lock())", SIGNAL,
                            signal.SIGSEGV),
    "a stack overflow": ("faulthandler._stack_overflow()", SIGNAL, signal.SIGSEGV),
    "termination": ("os.kill(os.getpid(), signal.SIGTERM)", SIGNAL, signal.SIGTERM),
    "interruption": ("signal.raise_signal(signal.SIGINT)", SIGNAL, signal.SIGINT),
    "a real-time signal": ("os.kill(os.getpid(), signal.SIGRTMAX - 3); time.sleep(9)", SIGNAL, signal.SIGRTMAX - 3),
    "a CPU limit": ("import resource; resource.setrlimit(resource.RLIMIT_CPU, (1, 1)); burn(9)", SIGNAL, signal.SIGKILL),
    "another program": ("os.execv('/bin/sh', ['sh', '-c', 'exit 5'])", EXIT, 5),
    "another Python": ("os.execv(sys.executable, [sys.executable, '-c', 'raise SystemExit(6)'])", EXIT, 6),
    # Up to 3.11 who wants the GIL meanwhile may crash, bare as well.
    "daemon threads": ("what = burn if sys.version_info >= (3, 12) else time.sleep\n"
                       "for _ in range(3): threading.Thread(target=what, args=(9,), daemon=True).start()", EXIT, 0),
}


def hide_addresses(run):
    run.stderr = re.sub(r"0x[0-9a-f]+", "0x", run.stderr)
    return run


@pytest.mark.parametrize("ending", ENDINGS)
def test_the_status_is_the_programs_and_the_profile_tells_it(key_python, ending, program, tmp_path):
    text, how, status = ENDINGS[ending]
    path = program(BURN + text + "\n")
    bare, profiled = both(key_python, path, folder=tmp_path)
    assert_same(hide_addresses(bare), hide_addresses(profiled))
    SCHEMA.validate(profiled.profile)
    assert profiled.profile["ended"] == {"how": how, "status": int(status)}
    assert profiled.profile["quality"]["cpu_samples"] >= 1  # of about ten: the kernel may bring them late, and together
    assert profiling.lines(profiled.profile, "program.py")


MUCH = """
import os, threading, time
def burn():
    while True:
        sum(range(300))
        time.sleep(0)
def wait():
    while True:
        time.sleep(0.001)
for target in (burn, wait, burn):
    threading.Thread(target=target, daemon=True).start()
parent = os.getpid()
if os.fork() == 0:
    while os.getppid() == parent:
        sum(range(300))
    os._exit(0)
while True:
    if os.fork() == 0:
        os._exit(0)
    os.wait3(os.WNOHANG)
    [[] for _ in range(1000)]
"""


def start(python, path, out, folder):
    command = [profiling.SCALENE, "run", "--python", python.path, "-o", out, path]
    return subprocess.Popen([str(word) for word in command], cwd=folder, stdin=subprocess.DEVNULL,
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def kill_tree(pid):
    below = children(pid)
    for victim in below + [grandchild for child in below for grandchild in children(child)]:
        try:
            os.kill(victim, signal.SIGKILL)
        except ProcessLookupError:
            pass
    return bool(below)


def wait_for_child(pid):
    deadline = time.monotonic() + profiling.TIMEOUT_S
    while not children(pid):
        assert time.monotonic() < deadline
        time.sleep(0.001)


@pytest.mark.parametrize("round_number", range(4))
def test_a_program_killed_at_any_moment_has_a_valid_profile(key_python, round_number, program, tmp_path):
    """The moments lie in start-up, in the first lines and in the midst of it."""
    path, out = program(MUCH), tmp_path / "profile.json"
    moment = random.Random(key_python.id + str(round_number)).uniform(0, [0.01, 0.1, 0.5, 1.0][round_number])
    scalene = start(key_python, path, out, tmp_path)
    wait_for_child(scalene.pid)
    time.sleep(moment)
    assert kill_tree(scalene.pid)
    assert scalene.wait(profiling.TIMEOUT_S) == -signal.SIGKILL, moment
    document = json.loads(out.read_text(encoding="utf-8"))
    SCHEMA.validate(document)
    assert document["ended"] == {"how": "signal", "status": 9}
