# SPDX-License-Identifier: Apache-2.0
"""The project's own options: scalene.yaml, or [tool.scalene] of pyproject.toml."""

import os
import shutil
import tempfile

import pytest
from cli_runner import PYTHON, SCALENE, call, run, write

TOML = """
[build-system]
requires = ["meson-python"]  # "quoted # signs"

[project]
name = "x"
description = '''
[tool.scalene]
outfile = "not this one"
'''

[tool.scalene]
outfile = "from-toml"
cpu-only = true
"""


@pytest.fixture
def project(tmp_path):
    """A folder where the search ends, as with a repository, and one below it."""
    (tmp_path / ".git").mkdir()
    write(tmp_path, "p.py", "print('ran')")
    write(tmp_path, "sub/p.py", "print('ran')")
    return tmp_path


def announced(result):
    return [line for line in result.stderr.splitlines() if "options are read from" in line]


def test_yaml_of_the_project_is_read_and_announced_first(project):
    write(project, "scalene.yaml", "outfile: from-yaml\n")
    result = run("p.py", cwd=project)
    assert result.stderr.startswith("scalene: options are read from scalene.yaml (--no-config ignores it)\n")
    assert result.stdout == "ran\n"
    assert (project / "from-yaml.json").exists()


def test_table_of_pyproject_is_read(project):
    write(project, "pyproject.toml", TOML)
    result = run("p.py", cwd=project)
    assert announced(result) == ["scalene: options are read from pyproject.toml (--no-config ignores it)"]
    assert (project / "from-toml.json").exists()
    assert '"memory": false' in (project / "from-toml.json").read_text()


def test_yaml_comes_before_pyproject(project):
    write(project, "scalene.yaml", "outfile: from-yaml\n")
    write(project, "pyproject.toml", TOML)
    assert len(announced(run("p.py", cwd=project))) == 1
    assert (project / "from-yaml.json").exists() and not (project / "from-toml.json").exists()


def test_below_the_project_paths_are_relative_to_its_file(project):
    write(project, "scalene.yaml", "outfile: from-yaml\nprogram-path: .\n")
    result = run("p.py", cwd=project / "sub")
    assert announced(result) == ["scalene: options are read from %s (--no-config ignores it)" % (project / "scalene.yaml")]
    assert (project / "from-yaml.json").exists()


@pytest.mark.parametrize("end", [".git/x", "pyproject.toml"])
def test_the_search_ends_with_the_project(project, end):
    write(project, "scalene.yaml", "outfile: from-yaml\n")
    write(project, "sub/" + end, "")
    result = run("p.py", cwd=project / "sub")
    assert announced(result) == []
    assert (project / "sub/scalene-profile.json").exists()


def test_the_home_folder_is_the_last_one(project, monkeypatch):
    monkeypatch.setenv("HOME", str(project / "sub"))
    write(project, "scalene.yaml", "outfile: from-yaml\n")
    assert announced(run("p.py", cwd=project / "sub")) == []


def test_no_config_and_a_named_file_leave_it_alone(project):
    write(project, "scalene.yaml", "outfile: from-yaml\n")
    write(project, "other.yaml", "outfile: from-other\n")
    assert announced(run("--no-config", "p.py", cwd=project)) == []
    assert announced(run("-c", "other.yaml", "p.py", cwd=project)) == []
    assert (project / "from-other.json").exists() and not (project / "from-yaml.json").exists()
    assert announced(run("--help", cwd=project)) == []


def test_a_toml_file_can_be_named(project):
    write(project, "x.toml", TOML)
    run("-c", "x.toml", "p.py", cwd=project)
    assert (project / "from-toml.json").exists()


def test_the_line_wins_over_the_project(project):
    write(project, "pyproject.toml", TOML)
    run("--memory", "-o", "from-line", "p.py", cwd=project)
    assert '"memory": true' in (project / "from-line.json").read_text()


@pytest.mark.parametrize("text, sentence", [
    ("[tool.scalene]\ncpu-only = 'maybe'\n", "cpu-only: 'maybe' is neither true nor false"),
    ("[tool.scalene]\noutfile = \n", "invalid TOML in config file 'pyproject.toml': line 2"),
    ("x\n[tool.scalene]\n", "invalid TOML in config file 'pyproject.toml': line 1"),
])
def test_a_broken_table_is_said_before_the_program_starts(text, sentence, project):
    write(project, "pyproject.toml", text)
    result = run("p.py", cwd=project)
    assert result.returncode == 1 and result.stdout == ""
    assert sentence in result.stderr


def test_a_pyproject_without_our_table_is_others_business(project):
    write(project, "pyproject.toml", "this is [no TOML\n")
    result = run("p.py", cwd=project)
    assert result.returncode == 0 and announced(result) == []


@pytest.mark.skipif(os.getuid() != 0, reason="only root can act as two others")
def test_a_file_of_somebody_else_is_not_read():
    # In a folder that everybody may write to, as /tmp is.
    top = tempfile.mkdtemp()
    try:
        os.chmod(top, 0o1777)
        mine = os.path.join(top, "mine")
        os.mkdir(mine)
        os.chown(mine, 65534, 65534)
        planted = os.path.join(top, "scalene.yaml")
        with open(planted, "w") as file:
            file.write("python: /bin/false\n")
        os.chown(planted, 12345, 12345)
        result = call(["setpriv", "--reuid=65534", "--clear-groups", SCALENE, "run", "--python", PYTHON,
                       "---", "-c", "print('ran')"], cwd=mine)
        assert result.stdout == "ran\n", result.stderr
        assert "%s is not yours and is not read" % planted in result.stderr
    finally:
        shutil.rmtree(top)
