# SPDX-License-Identifier: Apache-2.0
"""A program cannot tell from inside that it is profiled, and ends as it does bare."""

import json
import os

import pytest
from transparency import TARGETS, both, inside, run_same, without_ours

WAYS_TO_START = {
    "file": ("inside.py", "one", "--two", "-m"),
    "module": ("-m", "inside", "-o", "x"),
    "isolated": ("-I", "inside.py"),
    "no site": ("-S", "inside.py"),
    "no environment": ("-E", "-s", "inside.py"),
    "optimized": ("-O", "-B", "-u", "inside.py"),
    "developer": ("-X", "dev", "inside.py"),
    "warnings": ("-W", "error", "-W", "ignore::ResourceWarning", "inside.py"),
    "command": ("-c", "exec(open('inside.py').read())", "an argument"),
}


@pytest.fixture
def folder(tmp_path):
    for path in TARGETS.glob("*.py"):
        (tmp_path / path.name).write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("arguments", WAYS_TO_START.values(), ids=WAYS_TO_START.keys())
def test_sees_the_same_from_inside(python, folder, arguments):
    run_same(python, "empty.py", folder=folder)  # byte code of modules is cached from here on
    bare, profiled = (inside(run) for run in both(python, *arguments, folder=folder))
    assert without_ours(profiled) == without_ours(bare)


def test_sees_the_same_when_read_from_stdin(python, folder):
    text = (folder / "inside.py").read_text(encoding="utf-8")
    bare, profiled = (inside(run) for run in both(python, "-", "x", folder=folder, input=text))
    assert without_ours(profiled) == without_ours(bare)


PROGRAMS = {
    "warnings_as_errors.py": ("-W", "error"),
    "timers.py": (),
    "recursion.py": (),
    "mappings.py": (),
    "threads.py": (),
    "interpreters.py": (),
    "audit.py": (),
    "output.py": (),
    "descriptors.py": (),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_behaves_the_same(python, folder, name):
    run_same(python, *PROGRAMS[name], name, folder=folder)


ALLOCATORS = {
    "debug": {"PYTHONMALLOC": "debug"},
    "malloc": {"PYTHONMALLOC": "malloc"},
    "malloc_debug": {"PYTHONMALLOC": "malloc_debug"},
    "pymalloc_debug": {"PYTHONMALLOC": "pymalloc_debug"},
    "developer": {"PYTHONDEVMODE": "1"},
    "perturbed": {"MALLOC_PERTURB_": "165", "MALLOC_CHECK_": "3"},
}


@pytest.mark.parametrize("name", ALLOCATORS)
def test_ends_cleanly_with_every_allocator(python, folder, name, monkeypatch):
    for variable, value in ALLOCATORS[name].items():
        monkeypatch.setenv(variable, value)
    run = run_same(python, "output.py", folder=folder)
    assert run.status == 3


def test_leaves_nothing_behind(python, folder):
    """Of a thousand threads neither timers nor descriptors nor files stay."""
    _, profiled = both(python, "threads.py", "state.json", folder=folder)
    assert profiled.status == 0
    with open(folder / "state.json", encoding="utf-8") as file:
        state = json.load(file)
    before, after = state["before"], state["after"]
    assert after["timers"] == before["timers"] <= 2
    assert after["descriptors"] == before["descriptors"]
    assert after["maps"] <= before["maps"] + 40  # the interpreter's own arenas and stacks
    assert state["run_dir"] and not os.path.exists(state["run_dir"])
