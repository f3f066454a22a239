# SPDX-License-Identifier: Apache-2.0
"""Runs scalene and plain python the same way, for the tests of the command line."""

import os
import pathlib
import subprocess
import sys

from profiling import TIMEOUT_S

PYTHON = os.environ.get("SCALENE_CLI_PYTHON", "/usr/bin/python3")
ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("SCALENE_BUILD", ROOT / "build")).resolve()


def executable():
    for place in (BUILD / "scalene", BUILD / "src/cli/scalene"):
        if place.exists():
            return str(place)
    sys.exit(f"there is no scalene in {BUILD}; build it, or set SCALENE_BUILD")


SCALENE = executable()


def call(words, **how):
    """Runs a command to its end. Text in, text out."""
    how.setdefault("timeout", TIMEOUT_S)
    how.setdefault("stdin", None if "input" in how else subprocess.DEVNULL)
    if how["stdin"] is None:
        del how["stdin"]
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, **how)


def scalene(*words, **how):
    return call([SCALENE, *words], **how)


def run(*words, **how):
    """`scalene run` with the interpreter of the tests."""
    return scalene("run", "--python", PYTHON, *words, **how)


def bare(*words, **how):
    return call([PYTHON, *words], **how)


def program_stderr(result):
    """What the program itself wrote: all before scalene's closing lines."""
    return result.stderr.split("\nScalene: ")[0]


def write(folder, name, text):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path
