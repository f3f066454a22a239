# SPDX-License-Identifier: Apache-2.0
"""Programs that end in every way, and what must be there and must not be there afterwards."""

import dataclasses
import glob
import json
import os
import pathlib
import signal
import subprocess
import time

import jsonschema
import profiling

PLACES = ("/dev/shm", "/tmp")

with open(profiling.ROOT / "docs" / "profile.schema.json", encoding="utf-8") as schema_file:
    SCHEMA = jsonschema.Draft202012Validator(json.load(schema_file))

BURN = """
import os, signal, sys, threading, time
def burn(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        sum(range(200))
"""


@dataclasses.dataclass
class Place:
    """A folder with a program, the file for its profile, and a temporary folder that must stay empty."""

    folder: pathlib.Path
    program: pathlib.Path
    out: pathlib.Path
    temporary: pathlib.Path
    environment: dict

    def command(self, python, *options):
        return [str(word) for word in (profiling.SCALENE, "run", "--python", python.path, "-o", self.out,
                                       *options, self.program)]

    def start(self, python, *options, **how):
        how.setdefault("stdin", subprocess.DEVNULL)
        return subprocess.Popen(self.command(python, *options), cwd=self.folder, text=True,
                                env=self.environment, **how)

    def profile(self):
        document = json.loads(self.out.read_text(encoding="utf-8"))
        SCHEMA.validate(document)
        return document

    def assert_clean(self):
        """The program and its profile are all there is; nobody who still runs has anything of ours."""
        assert sorted(path.name for path in self.folder.iterdir()) in (
            ["p.py", "profile.json", "tmp"], ["p.py", "tmp"])
        assert not list(self.temporary.iterdir())
        assert not self.run_dirs()

    def run_dirs(self):
        """Directories of runs that save into this folder."""
        found = []
        for place in (*PLACES, str(self.temporary)):
            for link in glob.glob(place + "/scalene-??????/outfile"):
                try:
                    if os.readlink(link) == str(self.out):
                        found.append(os.path.dirname(link))
                except OSError:  # of another run that ends just now
                    pass
        return found


def make_place(folder, text):
    temporary = folder / "tmp"
    temporary.mkdir(parents=True)
    program = folder / "p.py"
    program.write_text(BURN + text + "\n", encoding="utf-8")
    return Place(folder, program, folder / "profile.json", temporary,
                 {**os.environ, "TMPDIR": str(temporary)})


def wait_until(condition, what):
    deadline = time.monotonic() + profiling.TIMEOUT_S
    while not condition():
        assert time.monotonic() < deadline, what
        time.sleep(0.02)


def all_children(pid):
    try:
        with open("/proc/%d/task/%d/children" % (pid, pid)) as file:
            return [int(word) for word in file.read().split()]
    except OSError:
        return []


def name_of(pid):
    try:
        with open("/proc/%d/comm" % pid) as file:
            return file.read().strip()
    except OSError:
        return ""


def is_scalene(pid):
    try:
        return os.path.samefile("/proc/%d/exe" % pid, profiling.SCALENE)
    except OSError:
        return False


def children(pid):
    """Without those that scalene has for itself."""
    return [child for child in all_children(pid) if not (is_scalene(pid) and is_scalene(child))]


def state_of(pid):
    """The kernel's letter for it; X where it is gone."""
    try:
        with open("/proc/%d/stat" % pid) as file:
            return file.read().rpartition(")")[2].split()[0]
    except OSError:
        return "X"


def is_alive(pid):
    return state_of(pid) not in "ZX"


def hold(pid):
    """Stops a process: what it has and whom it started stays as it is from here on."""
    os.kill(pid, signal.SIGSTOP)
    wait_until(lambda: state_of(pid) in "TZX", "it does not stop")


def can_mount():
    command = ["unshare", "-m", "sh", "-c", "mount -t tmpfs none /dev/shm"]
    return subprocess.run(command, capture_output=True).returncode == 0
