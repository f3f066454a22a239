# SPDX-License-Identifier: Apache-2.0
"""The wheel: what is in it, where it runs, and that it works in a fresh environment."""

import concurrent.futures
import functools
import os
import pathlib
import subprocess
import zipfile

import profiling
import pytest

PROGRAM = "import sys\nprint(sys.prefix, *sys.version_info[:2], sys.argv[1:])\n"
MB = 1 << 20


@pytest.fixture(scope="session")
def wheel(tmp_path_factory):
    """Built as `make wheel` does."""
    folder = tmp_path_factory.mktemp("dist")
    build = "import backend, sys; print(backend.build_wheel(sys.argv[1]))"
    name = subprocess.check_output(["/usr/bin/python3", "-c", build, folder], cwd=profiling.ROOT / "packaging",
                                   text=True).strip()
    return folder / name


def pip(python, place, *words):
    """On an environment, by a pip that is outside of it: to put one into each takes longer than all else."""
    outside = profiling.with_packages(python, "pip")
    if outside is None:
        pytest.skip("no pip can be had for %s" % python)
    subprocess.run([outside.path, "-m", "pip", "--python", place / "bin" / "python", "--quiet",
                    "--disable-pip-version-check", *words], check=True, cwd=place.parent)


def install(folder, what, python):
    """A fresh environment with the package in it; returns its folder."""
    place = folder / python.id
    subprocess.run([python.path, "-m", "venv", "--without-pip", place], check=True)
    pip(python, place, "install", "--no-index", what)
    return place


@pytest.fixture(scope="session")
def environments(wheel, tmp_path_factory):
    """A fresh environment with the wheel for each interpreter."""
    found = profiling.key_pythons()
    make = functools.partial(install, tmp_path_factory.mktemp("venvs"), wheel)
    with concurrent.futures.ThreadPoolExecutor() as pool:
        return dict(zip(found, pool.map(make, found)))


@pytest.fixture
def environment(environments, key_python):
    return environments[key_python]


def clean(**others):
    """No active environment, no package of the source tree."""
    kept = {name: value for name, value in os.environ.items() if name not in ("VIRTUAL_ENV", "PYTHONPATH")}
    return {**kept, **others}


def run(*command, **how):
    how.setdefault("env", clean())
    return profiling.call(command, **how)


def answer(python, place, arguments="[]"):
    return "%s %d %d %s\n" % (place, *python.version[:2], arguments)


def test_one_wheel_serves_every_python_on_glibc_2_28_and_is_small(wheel):
    assert wheel.name.endswith("-py3-none-manylinux_2_28_x86_64.whl")
    assert wheel.stat().st_size < 5 * MB
    names = zipfile.ZipFile(wheel).namelist()
    assert any(name.endswith("scripts/scalene") for name in names)
    assert any(name.endswith("data/lib/scalene/libscalene-agent.so") for name in names)
    assert "scalene/py.typed" in names


def test_auditwheel_finds_nothing_to_mend(wheel):
    auditor = profiling.with_packages(profiling.tool_python(), "auditwheel")
    if auditor is None:
        pytest.skip("auditwheel cannot be had")
    shown = run(auditor.path, "-m", "auditwheel", "show", wheel)
    text = " ".join(shown.stdout.split())
    assert 'is consistent with the following platform tag: "manylinux_2_28_x86_64"' in text, shown.stderr
    assert "The following external shared libraries" not in text


def test_the_command_runs_with_an_older_c_library(environments):
    fetched = subprocess.run([profiling.ROOT / "tools" / "fetch-old-libc"], stdout=subprocess.PIPE, text=True)
    if fetched.returncode:
        pytest.skip("no older C library can be had")
    libraries = pathlib.Path(fetched.stdout.strip()) / "lib" / "x86_64-linux-gnu"
    command = next(iter(environments.values())) / "bin" / "scalene"
    shown = run(libraries / "ld-linux-x86-64.so.2", "--library-path", libraries, command, "view", "--cli",
                profiling.ROOT / "tests" / "golden" / "mixed.json")
    assert shown.status == 0 and "Python" in shown.stdout, shown.stderr


def test_the_installed_command_profiles_with_the_python_beside_it(environment, key_python, program, tmp_path):
    path = program(PROGRAM)
    done = run(environment / "bin" / "scalene", "run", path, "a", cwd=tmp_path)
    assert done.stdout == answer(key_python, environment, "['a']"), done.stderr
    assert (tmp_path / "scalene-profile.json").exists()


TOOLS = {
    "pipx": (["install", "--pip-args=--no-index"], ["uninstall"]),
    "uv": (["tool", "install", "--offline", "--no-index"], ["tool", "uninstall"]),
}


def tool_environment(folder, python):
    """All that pipx and uv write is in this folder, and there is this python3 in PATH."""
    places = {name: str(folder / name.lower()) for name in (
        "HOME", "PIPX_HOME", "PIPX_MAN_DIR", "UV_CACHE_DIR", "UV_TOOL_DIR")}
    commands = folder / "bin"
    commands.mkdir()
    (commands / "python3").symlink_to(python.path)
    return clean(**places, PIPX_BIN_DIR=str(commands), UV_TOOL_BIN_DIR=str(commands),
                 PATH="%s:%s" % (commands, os.environ["PATH"]))


@pytest.mark.parametrize("tool", TOOLS)
def test_installed_as_a_tool_it_profiles_with_the_python_that_the_user_has(wheel, program, tmp_path, tool):
    """The first in PATH, or that of the active environment; neither holds the package."""
    holder, first_in_path = profiling.key_pythons()[-1], profiling.key_pythons()[0]
    installer = profiling.with_packages(profiling.tool_python(), "pipx", "uv")
    if installer is None:
        pytest.skip("pipx and uv cannot be had")
    environment = tool_environment(tmp_path, first_in_path)
    to_install, to_remove = TOOLS[tool]
    installed = run(installer.path, "-m", tool, *to_install, "--python", holder.path, wheel, env=environment)
    assert installed.status == 0, installed.stderr
    path = program(PROGRAM)
    done = run("scalene", "run", path, cwd=tmp_path, env=environment)
    assert done.stdout.split()[1:3] == list(map(str, first_in_path.version[:2])), done.stderr
    active = tmp_path / "active"
    subprocess.run([first_in_path.path, "-m", "venv", "--without-pip", active], check=True)
    done = run("scalene", "run", path, cwd=tmp_path, env={**environment, "VIRTUAL_ENV": str(active)})
    assert done.stdout == answer(first_in_path, active), done.stderr
    imports = program("from scalene import scalene_profiler\nprint(scalene_profiler.start)\n", "imports.py")
    done = run("scalene", "run", imports, cwd=tmp_path, env=environment)
    assert done.stdout.startswith("<function start"), done.stderr
    own = (tmp_path / "bin" / "scalene").resolve()
    done = run(own, "run", path, cwd=tmp_path, env=environment)  # by its own path it has a Python beside it
    assert done.stdout == answer(holder, own.parents[1]), done.stderr
    assert run(installer.path, "-m", tool, *to_remove, "scalene", env=environment).status == 0
    assert [path.name for path in (tmp_path / "bin").iterdir()] == ["python3"]


def test_python_m_scalene_works_in_the_environment(environment, key_python, program, tmp_path):
    path = program(PROGRAM)
    done = run(environment / "bin" / "python", "-m", "scalene", "run", path, cwd=tmp_path)
    assert done.stdout == answer(key_python, environment), done.stderr
    loaded = run(environment / "bin" / "python", "-c", "import scalene; print(scalene.load().program)", cwd=tmp_path)
    assert loaded.stdout.strip() == str(path), loaded.stderr


def test_pip_installs_from_the_source_tree_and_takes_everything_away_again(tmp_path, program):
    python = profiling.key_pythons()[-1]
    place = install(tmp_path, profiling.ROOT, python)
    assert run(place / "bin" / "scalene", "run", program(PROGRAM), cwd=tmp_path).stdout == answer(python, place)
    pip(python, place, "uninstall", "--yes", "scalene")
    assert [path for path in place.rglob("*scalene*") if not path.is_dir()] == []
