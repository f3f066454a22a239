# SPDX-License-Identifier: Apache-2.0
"""What a program can ask of scalene: docs/python-api.md."""

import collections
import json
import os
import subprocess

import profiling
import pytest

PACKAGE = profiling.ROOT / "python"

BURN = """
import time

def burn(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass
    time.sleep(0)  # a call: what was not sampled yet, on a crowded machine, is so before the next function begins
"""

DECORATED = BURN + """
import functools

def wrapping(function):
    @functools.wraps(function)
    def wrapper(*arguments):
        return function(*arguments)
    return wrapper

@profile
def wanted():
    burn(0.3)         # wanted
    def inner():
        burn(0.2)     # inner
    inner()           # inner

class Class:
    @profile
    @staticmethod
    def method():
        burn(0.2)     # method

    @profile
    @wrapping
    def wrapped(self):
        burn(0.2)     # wrapped

@profile
class Whole(Class):
    number = 3

    def one(self):
        burn(0.2)     # one

    @property
    def two(self):
        burn(0.2)     # two

burn(0.3)
wanted()
Class.method()
Class().wrapped()
Whole().one()
Whole().two
print(profile(wanted) is wanted, profile(Whole) is Whole, profile(3), profile.__name__)
"""

WINDOWS = BURN + """
from scalene import scalene_profiler

def off():
    burn(0.3)

def on():
    burn(0.3)

off()
scalene_profiler.start()
on()
scalene_profiler.stop()
off()
try:
    with scalene_profiler.enable_profiling():
        on()
        raise KeyError
except KeyError:
    off()
"""


def environment(**others):
    return {**os.environ, "PYTHONPATH": str(PACKAGE), "PYTHONDONTWRITEBYTECODE": "1", **others}


def mark_of(lines, number):
    """The comment that the line ends in. Where a function begins, a point may fall as well: that is the next line's."""
    line = lines[number - 1]
    if line.lstrip().startswith(("@", "def ")) and "# " not in line:
        return mark_of(lines, number + 1)
    return line.partition("# ")[2].strip()


def cpu_by_mark(document, path):
    """CPU seconds of the lines that end in a comment, by its text."""
    found = collections.Counter()
    text = path.read_text(encoding="utf-8").splitlines()
    for number, line in profiling.lines(document, path.name).items():
        seconds = line["cpu_python_s"] + line["cpu_native_s"] + line["cpu_system_s"]
        if seconds > 0:
            found[mark_of(text, number)] += seconds
    return found


def test_the_report_is_about_decorated_functions_alone(key_python, profile, program):
    path = program(DECORATED)
    run = profile(key_python, path, options=["--cpu-only"])
    assert run.status == 0, run.stderr
    assert run.stdout == "True True 3 profile\n"
    found = cpu_by_mark(run.profile, path)
    # Each burns what it says; one point per 10 ms of CPU, so that each is off by two at most.
    expected = {"wanted": 0.3, "inner": 0.2, "method": 0.2, "wrapped": 0.2, "one": 0.2, "two": 0.2}
    assert set(found) == set(expected)
    for mark, seconds in expected.items():
        assert found[mark] == pytest.approx(seconds, abs=0.04), mark
    shares = [line["n_cpu_percent_python"] + line["n_cpu_percent_c"] + line["n_sys_percent"]
              for line in profiling.lines(run.profile, path.name).values()]
    assert sum(shares) == pytest.approx(100, abs=0.01)
    assert any("decorates 5 functions" in note for note in run.profile["quality"]["notes"])
    for stack, _ in run.profile["combined_stacks"]:
        assert any(frame["display_name"] == name for frame in stack for name in
                   ("wanted", "Class.method", "method", "Class.wrapped", "wrapped", "Whole.one", "one", "Whole.two",
                    "two")), stack


def test_decorated_functions_of_children_are_reported(key_python, profile, program):
    path = program(BURN + "\nimport os\n\n@profile\ndef work():\n    burn(0.3)  # work\n\n"
                          "if os.fork() == 0:\n    work()\n    os._exit(0)\nos.wait()\nburn(0.1)\n")
    run = profile(key_python, path, options=["--cpu-only"])
    found = cpu_by_mark(run.profile, path)
    assert set(found) == {"work"} and found["work"] == pytest.approx(0.3, abs=0.04)


def test_without_scalene_there_is_no_builtin_and_the_decorator_does_nothing(key_python, bare):
    run = bare(key_python, "-c", "from scalene import profile\ndef f(): pass\nprint(profile(f) is f)\n"
                                 "import builtins, sys\nprint(hasattr(builtins, 'profile'))\n"
                                 "print([name for name in ('ctypes', 'json', 'dataclasses') if name in sys.modules])",
               env=environment())
    assert run.stdout == "True\nFalse\n[]\n", run.stderr


def test_a_builtin_of_the_same_name_is_left_alone_and_the_decorator_still_works(key_python, profile, program):
    path = program(BURN + "import scalene, builtins\nbuiltins.profile = print\n\n@scalene.profile\ndef work():\n"
                          "    burn(0.2)  # work\n\nwork()\nburn(0.1)\nprofile('mine')\n")
    run = profile(key_python, path, options=["--cpu-only"], env=environment())
    assert run.stdout == "mine\n"
    assert set(cpu_by_mark(run.profile, path)) == {"work"}


def test_profiling_is_turned_on_and_off_by_the_program(key_python, profile, program):
    path = program(WINDOWS)
    run = profile(key_python, path, options=["--off", "--cpu-only"], env=environment())
    assert run.status == 0, run.stderr
    functions = {entry["line"]: entry for content in run.profile["files"].values() for entry in content["functions"]}
    assert "off" not in functions
    spent = sum(functions["burn"][field] for field in ("cpu_python_s", "cpu_native_s", "cpu_system_s"))
    # Two windows of 0.3 s; at each of their four ends one point may fall outside.
    assert spent == pytest.approx(0.6, abs=0.06)


WITHOUT_PACKAGE = """
import importlib.util, sys
print([name for name in sys.modules if name.startswith("scalene")], importlib.util.find_spec("scalene_or_not"))
from scalene import profile, scalene_profiler
import scalene.document
print(profile is __builtins__.profile, scalene.document.__name__)
scalene_profiler.stop()
"""


def alone(**others):
    """No package of ours for the interpreter to find."""
    return {**{name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
            "PYTHONDONTWRITEBYTECODE": "1", **others}


def test_a_python_that_does_not_hold_the_package_can_import_it(key_python, profile, program, bare):
    path = program(WITHOUT_PACKAGE)
    assert "ModuleNotFoundError" in bare(key_python, path, env=alone()).stderr
    run = profile(key_python, path, env=alone())
    assert run.stdout == "[] None\nTrue scalene.document\n", run.stderr


def test_a_package_of_that_name_that_the_program_has_is_the_programs(key_python, profile, program, tmp_path):
    path = program("import os, scalene\nprint(os.path.basename(scalene.__file__))\n")
    (tmp_path / "scalene.py").write_text("")
    assert profile(key_python, path, env=alone()).stdout == "scalene.py\n"


def test_installed_by_make_it_has_the_package_too(program, tmp_path):
    """As `make install` does, from the build that is there."""
    subprocess.run(["meson", "install", "-C", profiling.BUILD, "--no-rebuild", "--quiet", "--destdir", tmp_path / "root"],
                   check=True)
    (command,) = (tmp_path / "root").rglob("bin/scalene")
    run = profiling.call([command, "run", "--python", profiling.key_pythons()[-1].path, "-o", tmp_path / "o.json",
                          program(WITHOUT_PACKAGE)], env=alone())
    assert run.stdout == "[] None\nTrue scalene.document\n", run.stderr


def test_python_m_scalene_profiles_with_its_own_interpreter(key_python, tmp_path, program):
    """Also where files of the standard library's names lie about, but for those that any `python -m` stumbles over."""
    of_python = profiling.call([key_python.path, "-I", "-c", "import runpy, sys; print(*sys.modules)"]).stdout.split()
    for name in {"typing", "sysconfig", "argparse", "subprocess", "json", "dataclasses"}.difference(of_python):
        program("print('a stray file was run')\n", name + ".py")
    path = program("import sys\nprint(sys.executable, sys.argv[1:])\n")
    run = profiling.call([key_python.path, "-m", "scalene", "run", "-o", tmp_path / "out.json", path, "a", "-b"],
                         cwd=tmp_path, env=environment())
    expected = profiling.bare(key_python, "-c", "import sys; print(sys.executable)").stdout.strip()
    assert run.stdout == "%s ['a', '-b']\n" % expected, run.stderr
    document = json.loads((tmp_path / "out.json").read_text())
    assert document["python_version"] == ".".join(map(str, key_python.version))


def test_python_m_scalene_passes_on_what_it_does_not_know(key_python, tmp_path):
    assert profiling.call([key_python.path, "-m", "scalene", "--version"], env=environment()).stdout.startswith("Scalene")
    run = profiling.call([key_python.path, "-m", "scalene", "run", "--python", "/nowhere", "x.py"], env=environment(),
                         cwd=tmp_path)
    assert run.status == 1


def test_scalene_profile_turns_a_running_program_on(key_python, tmp_path, program):
    path = program(BURN + "import os, sys\nprint(os.getpid(), flush=True)\nsys.stdin.readline()\nburn(0.2)\n")
    command = [profiling.SCALENE, "run", "--off", "--cpu-only", "--python", key_python.path, "-o",
               tmp_path / "out.json", path]
    with subprocess.Popen(list(map(str, command)), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.DEVNULL) as running:
        pid = running.stdout.readline().strip()
        turned = profiling.call([key_python.path, "-m", "scalene.profile", "--on", "--pid", pid], env=environment())
        running.communicate("\n")
    assert turned.status == 0, turned.stderr
    document = json.loads((tmp_path / "out.json").read_text())
    spent = sum(document["totals"][field] for field in ("cpu_python_s", "cpu_native_s", "cpu_system_s"))
    assert spent == pytest.approx(0.2, abs=0.1)


@pytest.mark.parametrize("words, status", [([], 2), (["--on", "--off"], 2), (["--on"], 255)])
def test_scalene_profile_wants_one_of_on_and_off_and_a_process(words, status):
    python = profiling.key_pythons()[-1]
    run = profiling.call([python.path, "-m", "scalene.profile", *words], env=environment())
    assert run.status == status and "usage" in run.stderr


def test_the_module_scalene_profile_decorates_as_well(key_python, bare):
    run = bare(key_python, "-c", "import scalene.profile\ndef f(): pass\nprint(scalene.profile(f) is f)", env=environment())
    assert run.stdout == "True\n", run.stderr


LOAD = """
import sys, scalene
ours, original = map(scalene.load, sys.argv[1:3])
file, line = ours.hottest()[0]
print(file.path == sys.argv[3], line.lineno, line.line == "        pass\\n" or "while" in line.line, ours.ended.status)
print(original.format_version, sorted(original.files) == sorted(original.document["files"]))
for path in sys.argv[4:]:
    try:
        scalene.load(path)
    except ValueError as error:
        print("refused", path in str(error))
"""


def test_load_gives_typed_objects_of_ours_and_of_the_originals(key_python, profile, program, tmp_path):
    path = program(BURN + "burn(0.2)\n")
    profile(key_python, path)
    broken = []
    for number, text in enumerate(['{"files": 3}', "[]", "{", '{"files": {"a": {"lines": [[]]}}}']):
        broken.append(tmp_path / ("broken%d.json" % number))
        broken[-1].write_text(text)
    golden = profiling.ROOT / "tests" / "golden" / "original.json"
    run = profiling.bare(key_python, "-c", LOAD, tmp_path / "profile.json", golden, path, *broken, env=environment())
    first, second, *refusals = run.stdout.splitlines()
    assert first.split()[0] == "True" and first.split()[2:] == ["True", "0"], run.stderr
    assert second == "0 True"
    assert refusals == ["refused True"] * len(broken)


def test_importing_the_package_takes_next_to_nothing(key_python, bare):
    code = "import time\nstart = time.process_time()\nimport scalene\nprint(time.process_time() - start)"
    best = min(float(bare(key_python, "-c", code, env=environment()).stdout) for _ in range(3))
    assert best < 0.02


def test_the_package_has_the_programs_version():
    python = profiling.key_pythons()[-1]
    run = profiling.bare(python, "-c", "import scalene; print(scalene.__version__)", env=environment())
    command = profiling.call([profiling.SCALENE, "--version"])
    assert " %s " % run.stdout.strip() in command.stdout
