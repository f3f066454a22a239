# SPDX-License-Identifier: Apache-2.0
"""The interpreters of the tests, and a program run bare or under the profiler."""

import dataclasses
import functools
import json
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("SCALENE_BUILD", ROOT / "build")).resolve()
SCALENE = BUILD / "scalene"
TARGETS = ROOT / "tests" / "targets"
CLOCK_HZ = os.sysconf("SC_CLK_TCK")
TIMEOUT_S = 600  # for what hangs: a crowded machine is no reason to fail


@dataclasses.dataclass(frozen=True)
class Python:
    path: str
    id: str  # 3.12.1, 3.11.2-debian
    version: tuple
    is_system: bool

    def __str__(self):
        return self.id


@dataclasses.dataclass
class Run:
    """How a run ended. `profile` is None where none was written, and after a bare run."""

    status: int
    stdout: str
    stderr: str
    profile: dict = None


def find_pythons(**how):
    return json.loads(subprocess.check_output([ROOT / "tools" / "find-pythons", "--json"], **how))


def listed(answer):
    return [Python(found["path"], found["id"], tuple(map(int, found["version"].split("."))), found["is_system"])
            for found in answer["found"]]


@functools.lru_cache(maxsize=None)
def search():
    return find_pythons()


@functools.lru_cache(maxsize=None)
def pythons():
    return listed(search())


@functools.lru_cache(maxsize=None)
def all_pythons():
    """Also those that the tests are not to run on."""
    environment = {name: value for name, value in os.environ.items() if name != "SCALENE_TEST_PYTHONS"}
    return listed(find_pythons(env=environment))


def tool_python():
    """For tools from PyPI that tests use."""
    return next(python for python in all_pythons() if python.version[:2] == (3, 12))


@functools.lru_cache(maxsize=None)
def key_pythons():
    """The oldest, 3.12 and the newest; all with SCALENE_TEST_ALL, which `make soak` sets."""
    found = sorted(pythons(), key=lambda python: (python.version, python.is_system))
    if os.environ.get("SCALENE_TEST_ALL") or len(found) <= 3:
        return found
    middle = [python for python in found if python.version[:2] == (3, 12)]
    return list(dict.fromkeys([found[0], *middle[:1], found[-1]]))


def new_pythons():
    """3.12 and the newest; all with SCALENE_TEST_ALL."""
    return [python for python in key_pythons() if python.version >= (3, 12) or os.environ.get("SCALENE_TEST_ALL")]


def missing_pythons():
    return search()["missing"]


ASYNC_PACKAGES = ("uvloop", "anyio", "trio", "cython", "coverage")  # in one environment: making it takes longest


@functools.lru_cache(maxsize=None)
def with_packages(python, *packages):
    """The same interpreter in an environment with these packages; None where they cannot be had."""
    command = [ROOT / "tools" / "test-venv", python.path, *packages]
    result = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if result.returncode:
        return None
    return dataclasses.replace(python, path=result.stdout.strip())


def call(command, **how):
    how.setdefault("timeout", TIMEOUT_S)
    if "input" not in how:
        how.setdefault("stdin", subprocess.DEVNULL)
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **how)
    return Run(done.returncode, done.stdout, done.stderr)


def bare(python, *arguments, **how):
    """`python arguments...`"""
    return call([python.path, *arguments], **how)


def profile(python, *arguments, out, options=(), **how):
    """`scalene run --python ... -o out options... arguments...`, with the profile it wrote to `out`."""
    stolen_before_s = stolen_s()
    run = call([SCALENE, "run", "--python", python.path, "-o", out, *options, *arguments], **how)
    if os.path.exists(out):
        run.profile = load(out, stolen_before_s)
    return run


class Document(dict):
    """A profile, and what the host of a virtual machine took away while it was made: one unit more than is told, in
    whole ones."""

    stolen_s: float


def load(out, stolen_before_s):
    with open(out, encoding="utf-8") as file:
        document = Document(json.load(file))
    document.stolen_s = stolen_s() - stolen_before_s + 1 / CLOCK_HZ
    return document


def stolen_s():
    """What a virtual machine's host took away so far, of all cores together; no account of the program has it."""
    with open("/proc/stat") as file:
        return int(file.readline().split()[8]) / CLOCK_HZ


# A crowded machine alone is the reason of the first: where the kernel brings several points of a thread's time at
# once, only the first has its native stack. The second is so by nature of servers, whose tasks are their library's; the
# third of programs that allocate in thousands of places.
EXPECTED_NOTES = (
    "came too fast to take their native stack",
    "Tasks without a line of the program's own waited for",
    "memory_stacks has the 1000 stacks that allocated most",
)


# Of a process that ends while another of its threads computes (a daemon's), or that is killed at work: that thread may be
# in the middle of a record.
CUT_SHORT = "cut short by the end of their process"


# 3.11 and 3.12 go through states from which no way leads to their stack, for some instructions of each call from C: one
# sample in two thousand of a program that does little else. More than ten times as many are a defect.
IN_BETWEEN = "samples met Python in the middle of changing its stack"


def is_expected(note, document, expected):
    if IN_BETWEEN in note:
        return int(note.split()[0]) <= 2 + document["quality"]["cpu_samples"] / 200
    return any(words in note for words in expected)


def complaints(document, *also_expected):
    """What the profile says against itself, but for what is to be expected."""
    expected = EXPECTED_NOTES + also_expected
    return [note for note in document["quality"]["notes"] if not is_expected(note, document, expected)]


def late_s(document):
    """How much later than its timer was set a task may have begun to wait: as long as the kernel kept the program from
    a core, or the host the machine. It may do so on any machine, and what the profile says of it is held against the
    truth elsewhere."""
    return 1.1 * document["totals"]["ready_s"] + document.stolen_s + 0.001


def lines(document, file):
    """Of a profile, the lines with data of the file with this name, by number."""
    for path, content in document["files"].items():
        if path == str(file) or os.path.basename(path) == str(file):
            return {line["lineno"]: line for line in content["lines"]}
    return {}
