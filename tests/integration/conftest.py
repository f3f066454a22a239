# SPDX-License-Identifier: Apache-2.0
"""A test that takes `python` runs once on every interpreter found, and the summary names them; one that
takes `key_python` runs on the oldest, 3.12 and the newest; one that takes `new_python`, on the latter two: what
comes from PyPI is made for these."""

import functools
import os
import signal

import pytest

# What these find wrong is then told in figures, as it is of the tests' own.
pytest.register_assert_rewrite("accelerators", "cli_runner", "endings", "live", "memory", "profiling", "proposing",
                               "recipes", "terminal", "transparency", "viewing")

import profiling  # noqa: E402

IN_CI = os.environ.get("CI", "") not in ("", "false", "0")

# A shell starts what it puts in the background with these two ignored, and programs inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGQUIT, signal.SIG_DFL)

CHOICES = {"python": profiling.pythons, "key_python": profiling.key_pythons, "new_python": profiling.new_pythons}


def pytest_generate_tests(metafunc):
    for name, choose in CHOICES.items():
        if name in metafunc.fixturenames:
            found = choose()
            metafunc.parametrize(name, found, ids=[python.id for python in found], scope="session")


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


@pytest.fixture(scope="session", autouse=True)
def folder_for_all(tmp_path_factory):
    """Made now: tests that ask for one in several threads at once would make it twice."""
    return tmp_path_factory.getbasetemp()


# Files whose tests share something dear. Where several workers share the tests, these stay together: all
# of a file, or all of a file on one interpreter.
TOGETHER = {"test_async": True, "test_package": False,
            "test_gpu_sources": False, "test_cli_matrix": False, "test_notebook": True,
            "test_children": True, "test_recipes_runners": True, "test_recipes_servers": True}


@pytest.hookimpl(tryfirst=True)  # before the workers' own, which reads the marks
def pytest_collection_modifyitems(items):
    for item in items:
        name = item.module.__name__
        if name in TOGETHER:
            params = item.callspec.params if hasattr(item, "callspec") else {}
            python = next((params[choice] for choice in CHOICES if choice in params), None)
            group = name + (python.id if python and TOGETHER[name] else "")
            item.add_marker(pytest.mark.xdist_group(group))
