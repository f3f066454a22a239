# SPDX-License-Identifier: Apache-2.0
"""A test that takes `python` runs once on every interpreter found, and the summary names them."""

import functools
import os
import signal

import profiling
import pytest

IN_CI = os.environ.get("CI", "") not in ("", "false", "0")

# A shell starts what it puts in the background with these two ignored, and programs inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGQUIT, signal.SIG_DFL)


def pytest_generate_tests(metafunc):
    if "python" in metafunc.fixturenames:
        found = profiling.pythons()
        metafunc.parametrize("python", found, ids=[python.id for python in found], scope="session")


@pytest.fixture
def numpy_python(python):
    """`python` in an environment that has numpy."""
    found = profiling.with_packages(python, "numpy")
    if found is None:
        message = "numpy cannot be had for %s" % python
        pytest.fail(message) if IN_CI else pytest.skip(message)
    return found


@pytest.fixture
def profile(tmp_path):
    """profile(python, arguments..., options=[...]) -> profiling.Run, its file in the test's folder."""
    return functools.partial(profiling.profile, out=tmp_path / "profile.json", cwd=tmp_path)


@pytest.fixture
def bare(tmp_path):
    return functools.partial(profiling.bare, cwd=tmp_path)


@pytest.fixture
def program(tmp_path):
    """program(text, name="program.py") -> the path of a program with this text."""

    def write(text, name="program.py"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    return write


def pytest_terminal_summary(terminalreporter):
    found = ", ".join(python.id for python in profiling.pythons())
    terminalreporter.write_line("interpreters: %s" % (found or "none"))
    for name in profiling.missing_pythons():
        terminalreporter.write_line("no test ran on Python %s: it was not found" % name)
