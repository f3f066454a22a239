# SPDX-License-Identifier: Apache-2.0
"""A terminal, and somebody who sits at it."""

import os
import pty
import select
import signal
import time

from cli_runner import TIMEOUT_S


class Terminal:
    """A command in a session of its own, at a terminal of its own."""

    def __init__(self, words, folder, **environment):
        self.output = ""
        self.seen = 0
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            signal.signal(signal.SIGHUP, signal.SIG_DFL)  # the tests may have been told to outlive a terminal
            os.environ.update({"TERM": "dumb", "PS1": "$ ", **environment})
            os.execv(words[0], [str(word) for word in words])

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

    def kill(self):
        os.kill(self.pid, signal.SIGKILL)
        return self.end()

    def end(self):
        while self.read_some():
            pass
        _, status = os.waitpid(self.pid, 0)
        os.close(self.fd)
        return os.waitstatus_to_exitcode(status)
