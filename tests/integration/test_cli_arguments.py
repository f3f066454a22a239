# SPDX-License-Identifier: Apache-2.0
"""Every way to name a program gives it what plain python gives it."""

import json
import os
import stat
import zipfile

import pytest
from cli_runner import PYTHON, SCALENE, bare, call, run, scalene, write

REPORT = """
import sys, os
print(sys.argv)
print(sys.path)
print(tuple(sys.flags))
print(sys.warnoptions, sys._xoptions)
print(__name__, globals().get("__file__"), __spec__ and __spec__.name)
print(sys.executable, sys.prefix, getattr(sys, "orig_argv", None))
print(sorted(sys.modules))
print(os.getcwd())
"""

FORMS = {
    "script": ["p.py", "a", "--foo", "-o", "out", "--- x", "--help"],
    "script with odd arguments": ["p.py", "", "a b", "-", "--", "ä", "\n"],
    "script by path": ["./sub/../p.py", "x"],
    "script without ending": ["prog", "-v"],
    "module": ["-m", "pkg.mod", "a", "-m", "b"],
    "package": ["-m", "pkg", "x"],
    "module attached": ["-mpkg.mod"],
    "directory": ["sub", "x"],
    "zip": ["app.zip", "x"],
}
RAW_FORMS = {
    "code": ["-c", REPORT, "a", "-b"],
    "options and script": ["-W", "error", "-X", "dev", "p.py", "-x"],
    "clusters": ["-uBs", "-Wignore::ImportWarning", "p.py"],
    "isolated": ["-I", "p.py"],
    "module with options": ["-Bm", "pkg.mod", "x"],
    "version": ["-V"],
    "optimised": ["-OO", "-q", "p.py"],
}


@pytest.fixture
def project(tmp_path):
    write(tmp_path, "p.py", REPORT)
    write(tmp_path, "prog", REPORT)
    write(tmp_path, "pkg/__init__.py", "")
    write(tmp_path, "pkg/__main__.py", REPORT)
    write(tmp_path, "pkg/mod.py", REPORT)
    write(tmp_path, "sub/__main__.py", REPORT)
    with zipfile.ZipFile(tmp_path / "app.zip", "w") as archive:
        archive.writestr("__main__.py", REPORT)
    bare("-m", "compileall", "-q", ".", cwd=tmp_path)
    return tmp_path


def assert_alike(plain, profiled):
    assert plain.returncode == profiled.returncode == 0
    assert profiled.stdout == plain.stdout


@pytest.mark.parametrize("form", FORMS)
def test_a_program_named_as_python_takes_it(form, project):
    assert_alike(bare(*FORMS[form], cwd=project), run(*FORMS[form], cwd=project))


@pytest.mark.parametrize("form", {**FORMS, **RAW_FORMS})
def test_anything_python_takes(form, project):
    words = {**FORMS, **RAW_FORMS}[form]
    assert_alike(bare(*words, cwd=project), run("---", *words, cwd=project))


def test_a_program_on_stdin(project):
    plain = bare("-", "x", input=REPORT, cwd=project)
    assert_alike(plain, run("-", "x", input=REPORT, cwd=project))


def test_stdin_is_the_programs(project):
    write(project, "p.py", "import sys; print(sys.stdin.read())")
    assert run("p.py", input="hello", cwd=project).stdout == "hello\n"


def test_the_profile_says_what_ran(project):
    run("-o", "out", "p.py", "a", cwd=project)
    profile = json.loads((project / "out.json").read_text())
    assert profile["program"] == str(project / "p.py")
    assert profile["args"] == ["p.py", "a"]
    assert profile["command"] == [PYTHON, "p.py", "a"]
    assert profile["entrypoint_dir"] == profile["filename"] == str(project)
    run("-o", "out", "-m", "pkg.mod", "a", cwd=project)
    profile = json.loads((project / "out.json").read_text())
    assert profile["program"] == "-m pkg.mod"
    assert profile["entrypoint_dir"] == ""


def test_an_unknown_module_is_an_error_as_in_python(project):
    plain = bare("-m", "nothing_of_the_kind", cwd=project)
    profiled = run("-m", "nothing_of_the_kind", cwd=project)
    assert plain.returncode == profiled.returncode == 1
    assert plain.stderr in profiled.stderr


def executable_script(folder, name, text):
    path = write(folder, name, text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


ASK = "import sys; print(sys.executable, sys.prefix)"


def test_the_active_virtual_environment_is_used(project, monkeypatch):
    bare("-m", "venv", "--without-pip", "env", cwd=project)
    monkeypatch.setenv("VIRTUAL_ENV", str(project / "env"))
    monkeypatch.setenv("PATH", f"{project / 'env/bin'}:{os.environ['PATH']}")
    write(project, "p.py", ASK)
    plain = call(["python", "p.py"], cwd=project)
    assert str(project / "env") in plain.stdout
    assert scalene("run", "p.py", cwd=project).stdout == plain.stdout


def test_an_interpreter_of_a_virtual_environment_is_named_by_path(project, monkeypatch):
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    bare("-m", "venv", "--without-pip", "env", cwd=project)
    write(project, "p.py", ASK)
    plain = call(["env/bin/python", "p.py"], cwd=project)
    assert scalene("run", "--python", "env/bin/python", "p.py", cwd=project).stdout == plain.stdout


def test_the_first_line_of_a_script_names_its_python(project, monkeypatch):
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    bare("-m", "venv", "--without-pip", "env", cwd=project)
    path = executable_script(project, "tool", f"#!{project}/env/bin/python3\n{ASK}")
    assert scalene("run", "tool", cwd=project).stdout == call([path], cwd=project).stdout


def test_a_shell_script_in_front_of_python_works(project, monkeypatch):
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    shim = f'#!/usr/bin/env bash\nexec {PYTHON} "$@"\n'
    executable_script(project, "bin/python3", shim)
    monkeypatch.setenv("PATH", f"{project / 'bin'}:{os.environ['PATH']}")
    result = scalene("run", "p.py", "x", cwd=project)
    assert_alike(bare("p.py", "x", cwd=project), result)


def test_a_script_through_a_pipe(project):
    command = 'exec "$@" <(echo "import sys; print(sys.argv[1:])") x'
    result = call(["bash", "-c", command, "-", SCALENE, "run", "--python", PYTHON], cwd=project)
    assert result.stdout == "['x']\n"
