# SPDX-License-Identifier: Apache-2.0
"""Programs that run others' code and end by themselves: test runners, and a launcher of workers."""

import pytest
import recipes
from recipes import Recipe

RUNNERS = {
    "pytest": Recipe("-m pytest -q test_marked.py"),
    "command": Recipe("BIN/pytest -q test_marked.py"),
    "xdist": Recipe("-m pytest -q -n 2 test_marked.py", workers=2),
    "unittest": Recipe("-m unittest test_marked"),
    "launcher": Recipe("launcher.py", workers=2),
}


@pytest.fixture(scope="module")
def runs(new_python, tmp_path_factory):
    return recipes.run_all(RUNNERS, new_python, tmp_path_factory.mktemp("runners"))


@pytest.mark.parametrize("name", RUNNERS)
def test_it_ends_as_ever_and_its_work_is_in_the_profile(runs, name):
    bare, profiled = runs[name]
    assert bare.status != 0  # a test fails in each, and a worker
    recipes.check(RUNNERS[name], bare, profiled)
