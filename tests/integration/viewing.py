# SPDX-License-Identifier: Apache-2.0
"""A running `scalene view`, its profile, and what one asks it over HTTP."""

import contextlib
import http.client
import json
import os
import re
import socket
import subprocess

from cli_runner import SCALENE
from profiling import CLOCK_HZ, TIMEOUT_S

NO_SCREEN = ("DISPLAY", "WAYLAND_DISPLAY", "WSL_DISTRO_NAME", "BROWSER", "SSH_CONNECTION")


def line_record(number, text, **fields):
    return {"lineno": number, "line": text, **fields}


def document(files, **fields):
    """A profile with as little as a reader needs; `files` is path to list of lines."""
    return {
        "format_version": 1,
        "elapsed_time_sec": 10.0,
        "totals": {"cpu_python_s": 8.0, "cpu_native_s": 1.0, "cpu_system_s": 0.5, "idle_s": 0.5},
        "command": ["python3", "prog.py"],
        "program": "/x/prog.py",
        "files": {path: {"lines": lines, "functions": [], "leaks": {}} for path, lines in files.items()},
        **fields,
    }


def write_profile(folder, contents, name="p.json"):
    path = folder / name
    path.write_text(json.dumps(contents))
    return path


class Viewer:
    """The process, the address that it printed, and requests to it."""

    def __init__(self, words, environment):
        bare = {name: value for name, value in os.environ.items() if name not in NO_SCREEN}
        self.process = subprocess.Popen([SCALENE, "view", *map(str, words)], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True, env={**bare, **environment})
        self.first_line = self.process.stdout.readline()
        found = re.search(r"http://localhost:(\d+)(/[0-9a-f]{32}/)", self.first_line)
        assert found, self.first_line + self.process.stderr.read()
        self.port, self.base = int(found[1]), found[2]

    def ask(self, path="", method="GET", base=None, address="127.0.0.1", body=None, **headers):
        """The answer's status, headers and body. Underscores in names of headers are dashes."""
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        headers.setdefault("Host", f"localhost:{self.port}")
        connection = http.client.HTTPConnection(address, self.port, timeout=TIMEOUT_S)
        with contextlib.closing(connection):
            connection.request(method, (self.base if base is None else base) + path, body=body, headers=headers)
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=TIMEOUT_S)

    def open_stream(self):
        stream = self.connect()
        stream.sendall(f"GET {self.base}alive HTTP/1.1\r\nHost: localhost:{self.port}\r\n\r\n".encode())
        answer = b""
        while b":\n" not in answer:
            piece = stream.recv(4096)
            assert piece, answer
            answer += piece
        assert b"200 OK" in answer and b"text/event-stream" in answer
        return stream

    def cpu_s(self):
        with open(f"/proc/{self.process.pid}/stat") as stat:
            fields = stat.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / CLOCK_HZ

    def resident_kb(self):
        with open(f"/proc/{self.process.pid}/status") as status:
            return int(re.search(r"VmRSS:\s+(\d+)", status.read())[1])

    def stop(self):
        self.process.terminate()
        self.process.communicate(timeout=TIMEOUT_S)


@contextlib.contextmanager
def viewer(*words, **environment):
    running = Viewer(words, environment)
    try:
        yield running
    finally:
        if running.process.poll() is None:
            running.stop()
