# SPDX-License-Identifier: Apache-2.0
"""At a terminal: Ctrl-C, Ctrl-\\, Ctrl-Z and fg, as with plain python."""

import os
import pty
import select
import signal
import time

import pytest
from cli_runner import PYTHON, SCALENE, TIMEOUT_S, write


class Terminal:
    """A command in a session of its own, at a terminal of its own."""

    def __init__(self, words, folder):
        self.output = ""
        self.seen = 0
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            os.environ.update(TERM="dumb", PS1="$ ")
            os.execv(words[0], words)

    def read_some(self):
        ready, _, _ = select.select([self.fd], [], [], 0.1)
        if not ready:
            return True
        try:
            piece = os.read(self.fd, 65536)
        except OSError:  # the other side is closed
            return False
        self.output += piece.decode(errors="replace")
        return bool(piece)

    def expect(self, text):
        deadline = time.monotonic() + TIMEOUT_S
        while text not in self.output[self.seen:]:
            assert self.read_some() or text in self.output[self.seen:], self.output
            assert time.monotonic() < deadline, f"no {text!r} in {self.output!r}"
        self.seen = self.output.index(text, self.seen) + len(text)

    def type(self, text):
        os.write(self.fd, text.encode())

    def end(self):
        while self.read_some():
            pass
        _, status = os.waitpid(self.pid, 0)
        os.close(self.fd)
        return os.waitstatus_to_exitcode(status)


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
import signal, sys, time
signal.signal(signal.SIGCONT, lambda number, frame: print("continued", flush=True))
print("ready", flush=True)
while True:
    line = sys.stdin.readline()
    if line:
        print("read", line.strip(), flush=True)
        break
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
    shell.type("sleep 0.5; jobs\n")
    shell.expect("Stopped")
    shell.type("fg\n")
    shell.expect(str(program))  # bash names what it brings to the front
    shell.type("hello\n")
    shell.expect("read hello")
    shell.expect("profile saved")
    shell.type("exit\n")
    shell.end()
