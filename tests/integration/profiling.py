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
TIMEOUT_S = 120


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


@functools.lru_cache(maxsize=None)
def search():
    return json.loads(subprocess.check_output([ROOT / "tools" / "find-pythons", "--json"]))


@functools.lru_cache(maxsize=None)
def pythons():
    return [Python(found["path"], found["id"], tuple(map(int, found["version"].split("."))), found["is_system"])
            for found in search()["found"]]


def missing_pythons():
    return search()["missing"]


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
    run = call([SCALENE, "run", "--python", python.path, "-o", out, *options, *arguments], **how)
    if os.path.exists(out):
        with open(out, encoding="utf-8") as file:
            run.profile = json.load(file)
    return run


def lines(document, file):
    """Of a profile, the lines with data of the file with this name, by number."""
    for path, content in document["files"].items():
        if path == str(file) or os.path.basename(path) == str(file):
            return {line["lineno"]: line for line in content["lines"]}
    return {}
