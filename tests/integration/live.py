# SPDX-License-Identifier: Apache-2.0
"""Programs that are not started by scalene and profile themselves."""

import json
import os
import pathlib
import time

import profiling

PACKAGE = profiling.ROOT / "python"
PROGRAMS = profiling.TARGETS / "live"


def run(python, name, folder, *arguments, **how):
    """`python name.py profile.json arguments...`, with the profile it wrote in `folder`."""
    out = pathlib.Path(folder, "profile.json")
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE), "PYTHONDONTWRITEBYTECODE": "1"}
    done = profiling.call([python.path, PROGRAMS / (name + ".py"), out, *arguments], cwd=folder, env=environment, **how)
    if out.exists():
        done.profile = json.loads(out.read_text(encoding="utf-8"))
    return done


def wait_for(path):
    """The profile of a program that has ended: its collector writes it after that."""
    end = time.monotonic() + profiling.TIMEOUT_S
    while not os.path.exists(path):
        assert time.monotonic() < end, "no profile within %d s" % profiling.TIMEOUT_S
        time.sleep(0.02)
    return json.loads(pathlib.Path(path).read_text(encoding="utf-8"))


def own_lines(profile, name):
    return profiling.lines(profile, name + ".py")


def of_function(profile, name, function, *fields):
    """The sum of these fields over the lines of a function."""
    lines = own_lines(profile, name).values()
    source = (PROGRAMS / (name + ".py")).read_text(encoding="utf-8").splitlines()
    first = 1 + next(i for i, line in enumerate(source) if line.startswith("def %s(" % function))
    last = first + next((i for i, line in enumerate(source[first:]) if line and not line[0].isspace()), len(source))
    return sum(line[field] for line in lines if first <= line["lineno"] <= last for field in fields)


def cpu_s(profile, name, function):
    return of_function(profile, name, function, "cpu_python_s", "cpu_native_s", "cpu_system_s")


def waited_s(profile, name, kind):
    return sum(line["wait_s"].get(kind, 0) for line in own_lines(profile, name).values())
