# SPDX-License-Identifier: Apache-2.0
"""At a terminal: Ctrl-C, Ctrl-\\, Ctrl-Z and fg, as with plain python."""

import signal

import pytest
from cli_runner import PYTHON, SCALENE, write
from terminal import Terminal


def command(program):
    return [SCALENE, "run", "--python", PYTHON, str(program)]


CATCHES = """
import sys, time
try:
    print("ready", flush=True)
    while True:  # in short steps, for an interrupt may come just before Python blocks
        time.sleep(0.05)
except KeyboardInterrupt:
    try:
        time.sleep(0.3)  # a second interrupt would come now
    except KeyboardInterrupt:
        print("twice")
    print("caught")
    sys.exit(5)
"""


def test_interrupt_reaches_the_program_once(tmp_path):
    terminal = Terminal(command(write(tmp_path, "p.py", CATCHES)), tmp_path)
    terminal.expect("ready")
    terminal.type("\x03")
    terminal.expect("caught")
    terminal.expect("profile saved")
    assert terminal.end() == 5
    assert "twice" not in terminal.output


@pytest.mark.parametrize("key, name", [("\x03", signal.SIGINT), ("\x1c", signal.SIGQUIT)])
def test_an_interrupt_that_ends_the_program_ends_scalene_alike(tmp_path, key, name):
    program = write(tmp_path, "p.py", "import time; print('ready', flush=True)\nwhile True: time.sleep(0.05)")
    terminal = Terminal(command(program), tmp_path)
    terminal.expect("ready")
    terminal.type(key)
    terminal.expect("profile saved")
    assert terminal.end() == -name
    assert (tmp_path / "scalene-profile.json").exists()


COUNTS = """
import select, signal, sys
signal.signal(signal.SIGCONT, lambda number, frame: print("continued", flush=True))
print("ready", flush=True)
while not select.select([sys.stdin], [], [], 0.1)[0]:  # a signal just before a read without end is handled after it
    pass
print("read", sys.stdin.readline().strip(), flush=True)
"""


def test_stop_and_foreground(tmp_path):
    program = write(tmp_path, "p.py", COUNTS)
    shell = Terminal(["/bin/bash", "--norc", "--noediting", "-i"], tmp_path)
    shell.expect("$ ")
    shell.type(" ".join(command(program)) + "; echo status $?\n")
    shell.expect("ready")
    shell.type("\x1a")
    shell.expect("Stopped")
    shell.expect("$ ")
    shell.type("jobs -l\n")
    shell.expect("Stopped")
    shell.type("fg\n")
    shell.expect("continued")
    shell.type("hello\n")
    shell.expect("read hello")
    shell.expect("profile saved")
    shell.type("exit\n")
    assert shell.end() == 0
    assert shell.output.count("continued") == 1


def test_stop_and_background_and_kill(tmp_path):
    program = write(tmp_path, "p.py", "import time; print('ready', flush=True)\nwhile True: time.sleep(0.05)")
    shell = Terminal(["/bin/bash", "--norc", "--noediting", "-i"], tmp_path)
    shell.expect("$ ")
    shell.type(" ".join(command(program)) + "\n")
    shell.expect("ready")
    shell.type("\x1a")
    shell.expect("Stopped")
    shell.type("bg; kill %1; wait %1; echo status $?\n")
    shell.expect("profile saved")
    shell.expect("status 143")
    shell.type("exit\n")
    shell.end()


def test_a_program_in_the_background_that_reads_is_stopped_as_ever(tmp_path):
    program = write(tmp_path, "p.py", "print('ready', flush=True); print('read', input())")
    shell = Terminal(["/bin/bash", "--norc", "--noediting", "-i"], tmp_path)
    shell.expect("$ ")
    shell.type(" ".join(command(program)) + " &\n")
    shell.expect("ready")
    shell.type("until jobs | grep -q Stop; do sleep 0.1; done; jobs\n")
    shell.expect("Stopped")
    shell.type("fg\n")
    shell.expect(str(program))  # bash names what it brings to the front
    shell.type("hello\n")
    shell.expect("read hello")
    shell.expect("profile saved")
    shell.type("exit\n")
    shell.end()
