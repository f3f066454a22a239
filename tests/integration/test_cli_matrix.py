# SPDX-License-Identifier: Apache-2.0
"""The whole command line, row by row, against what the original is known to accept and answer.

Rows marked `differs` are decided otherwise here, and say why. All rows run first, side by side in
folders of their own; the tests then look at what came of each.
"""

import concurrent.futures
import json
import os

import pytest
from cli_runner import PYTHON, scalene, write

PROGRAM = "import sys; print(sys.argv)"
ARGUMENTS = ["p.py", "a", "--foo", "-x"]
ECHO = "['p.py', 'a', '--foo', '-x']\n"


class Row:
    """What is typed, and what is expected of it: None of something means that it does not matter."""

    def __init__(self, words, status=0, out=None, err=None, file=None, memory=None, config=None, quiet=None):
        self.words = words
        self.status = status
        self.out = out
        self.err = err
        self.file = file  # the profile that must be there
        self.memory = memory  # what it says was measured
        self.config = config  # the text of c.yaml
        self.quiet = quiet  # what stderr must not contain

    def __str__(self):
        return (self.config.strip().replace("\n", ", ") + " | " if self.config else "") + " ".join(self.words)


def run(words, **expected):
    """`scalene run` of the echoing program with some options."""
    expected.setdefault("out", ECHO)
    expected.setdefault("file", "scalene-profile.json")
    return Row(["run", *words.split(), *ARGUMENTS], **expected)


def config(text, **expected):
    expected.setdefault("quiet", "unknown config option")
    return run("-c c.yaml", config=text, **expected)


def misuse(words, sentence):
    return Row(["run", *words.split(), "p.py"], status=2, out="", err=sentence)


TOP = [
    Row([], status=1, out="", err="usage: scalene"),
    Row(["--help"], out="usage: scalene"),
    Row(["-h"], out="usage: scalene"),
    Row(["--version"], out="Scalene version 3."),
    Row(["p.py"], status=1, out="", err="Did you mean: scalene run p.py\n"),
    Row(["p.py", "x"], status=1, out="", err="'p.py' is not a valid command"),
    Row(["--cpu-only", "p.py"], status=1, out="", err="Did you mean: scalene run --cpu-only p.py\n"),
    Row(["-m", "pkg"], status=1, out="", err="Did you mean: scalene run -m pkg\n"),
    Row(["rnu", "p.py"], status=1, out="", err="'rnu' is not a valid command"),
    Row(["nonsense"], status=2, out="", err="'nonsense' is not a valid command"),
    Row(["--vers"], status=2, out="", err="see scalene --help"),  # not cut short here
]
BASIC = [
    Row(["run", "-h"], out="usage: scalene run"),
    Row(["run", "--help"], out="--outfile"),
    Row(["run", "--help-advanced"], out="--profile-all"),
    run("-o x", file="x.json"),
    run("-ox.html", file="x.json"),
    run("--outfile x.json", file="x.json"),
    run("--outfile=sub/x.y.z", file="sub/x.y.json"),
    run("-o sub", status=1, out="", err="outfile 'sub' is a directory", file=None),
    run("--cpu-only", memory=False),
    run("-c c.yaml", config="outfile: y\n", file="y.json"),
    run("--config c.yaml", config="outfile: y\n", file="y.json"),
    run("--config=c.yaml -o z", config="outfile: y\n", file="z.json"),
]
ADVANCED = [run(words) for words in (
    "--profile-all", "--profile-only p,q", "--profile-exclude=q", "--gpu", "--memory", "--stacks",
    "--no-stacks", "--async", "--no-async", "--profile-interval 5", "--use-virtual-time",
    "--cpu-percent-threshold 5", "--cpu-sampling-rate 0.02", "--allocation-sampling-window 1048576",
    "--malloc-threshold 100", "--program-path .", "--memory-leak-detector", "--profile-system-libraries",
    "--use-legacy-tracer", "--use-python-callback", "--disable-jit", "--on", "--off")]
OURS = [run(words) for words in (
    "--no-config", "--progress", "--profile-children", "--no-profile-children", "--wait-children",
    "--no-wait-children", "--no-memory-leak-detector")]
HIDDEN_AND_LEGACY = [run(words) for words in (
    "--ipython", "--reduced-profile", "--pid 5", "--pid=5", "--json", "--cli", "--html", "--web",
    "--viewer", "--no-browser", "--column-width 80", "--column-width=80",
    "--json --cli --no-browser --reduced-profile --cpu-only")]
PREFIXES = [
    run("--outf x", file="x.json"), run("--cpu-o", memory=False), run("--profile-a"), run("--no-st"),
    run("--use-v"), run("--cpu-s 0.02"), run("--memory-l"), run("--prog ."), run("--disa"), run("--allo 65536"),
    Row(["run", "--help-a"], out="--profile-all"),
]
MISUSE = [
    misuse("--cpu", "ambiguous option '--cpu'"),
    misuse("--profile", "ambiguous option '--profile'"),
    misuse("--on --off", "exclude each other"),
    misuse("--off --on", "exclude each other"),
    misuse("-o --on", "needs a value: FILE"),
    misuse("--cpu-only=1", "takes no value"),
    misuse("--profile-interval soon", "'soon' is not a number"),
    misuse("--malloc-threshold x", "'x' is not a whole number"),
    # differs: what is not known was handed to the program, as its first argument even.
    misuse("--cpu-onyl", "unknown option '--cpu-onyl'; did you mean --cpu-only?"),
    misuse("--outfiel x", "did you mean --outfile?"),
    misuse("--banana", "unknown option '--banana'; see --help"),
    misuse("-z", "unknown option '-z'"),
]
PROGRAMS = [
    Row(["run", "p.py", "---", "--arg", "1"], out="['p.py', '--arg', '1']\n"),
    Row(["run", "-o", "x", "p.py", "a", "--foo", "---", "--arg", "1"], out="['p.py', 'a', '--foo', '--arg', '1']\n"),
    # differs: options of ours that stand behind the program's name are the program's.
    Row(["run", "p.py", "-o", "out", "--cpu-only"], out="['p.py', '-o', 'out', '--cpu-only']\n",
        file="scalene-profile.json", memory=True),
    Row(["run", "-m", "pkg", "a"], out="pkg/__main__.py', 'a']\n"),
    Row(["run", "---", "-m", "pkg", "a"], out="pkg/__main__.py', 'a']\n"),
    Row(["run", "---", "-c", PROGRAM, "a"], out="['-c', 'a']\n"),
    Row(["run", "---", "-u", "-W", "error", "p.py", "---"], out="['p.py', '---']\n"),
    Row(["run", "-m", "no_such_module"], status=1, err="No module named no_such_module"),
    Row(["run"], status=1, out="", err="no input file specified"),
    Row(["run", "---"], status=1, out="", err="no input file specified"),
    Row(["run", "gone.py"], status=1, out="", err="could not find input file"),
    Row(["run", "wrong.py"], status=1, err="SyntaxError"),
]
METRICS = [
    run("", memory=True), run("--cpu-only", memory=False), run("--memory", memory=True),
    run("--gpu", memory=False), run("--cpu-only --memory", memory=True), run("--gpu --memory", memory=True),
]
CONFIGS = [config("%s: %s\n" % pair) for pair in (
    ("cpu-only", "true"), ("profile-all", "true"), ("profile-only", "p"), ("profile_only", "[p, q]"),
    ("profile-exclude", "q"), ("gpu", "true"), ("memory", "true"), ("stacks", "false"),
    ("profile-interval", "3"), ("use-virtual-time", "true"), ("cpu-percent-threshold", "2"),
    ("cpu_sampling_rate", "0.02"), ("allocation-sampling-window", "65536"), ("malloc-threshold", "7"),
    ("program-path", "."), ("memory-leak-detector", "true"), ("profile-system-libraries", "yes"),
    ("disable-jit", "on"), ("on", "true"), ("off", "true"), ("async", "false"), ("progress", "true"),
    ("no-stacks", "true"), ("profile-children", "false"), ("wait-children", "false"), ("python", PYTHON))]
CONFIGS += [
    config("output: y\n", file="y.json"),
    config("outfile: y.html\n", file="y.json"),
    config("", memory=True),
    config("# nothing\n", memory=True),
    config("cpu-only: true\n", memory=False),
    run("-c c.yaml --memory", config="cpu-only: true\n", memory=True),
    config("colour: red\n", err="unknown config option 'colour' (ignored)\n", quiet=None),
    config("cpu-onyl: true\n", err="did you mean cpu-only?\n", quiet=None, memory=True),
    config("a: [\n", status=1, out="", err="invalid YAML in config file 'c.yaml'", file=None),
    config("- a\n", status=1, out="", err="must contain a YAML mapping (got a list)", file=None),
    config("cpu-sampling-rate: x\n", status=1, out="", err="'x' is not a number", file=None),
    run("-c gone.yaml", status=1, out="", err="config file 'gone.yaml' not found", file=None),
]
ENDINGS = [
    # differs: the original made 1 of plain sys.exit(), and 0 of an unknown module.
    Row(["run", "---", "-c", "import sys; sys.exit()"], status=0, file="scalene-profile.json"),
    Row(["run", "---", "-c", "import sys; sys.exit(3)"], status=3, file="scalene-profile.json"),
    Row(["run", "---", "-c", "import sys; sys.exit('sorry')"], status=1, err="sorry", file="scalene-profile.json"),
    Row(["run", "---", "-c", "import os; os._exit(7)"], status=7, file="scalene-profile.json"),
    Row(["run", "---", "-c", "1 / 0"], status=1, err="ZeroDivisionError", file="scalene-profile.json"),
    Row(["run", "-o", "x", "p.py"], err="Scalene: profile saved to x.json\n"),
    Row(["run", "p.py"], err="scalene view --cli\n"),
]
VIEW = [
    Row(["view", "--help"], out="usage: scalene view"),
    Row(["view", "-h"], out="--reduced"),
    Row(["view", "--cli", "gone.json"], status=1, out="", err="profile file 'gone.json' not found"),
    Row(["view", "--cli", "p.py"], status=1, out="", err="p.py"),
    Row(["view", "--cli", "small.json"]),
    Row(["view", "--cli", "-r", "small.json"]),
    Row(["view", "small.json", "--cli", "--reduced"]),
    Row(["view", "--cli", "empty.json"]),
    Row(["view", "--cli", "--api-keys-from-env", "small.json"], status=1, out="", err="only works in the browser"),
    Row(["view", "--standalone", "--api-keys-from-env", "small.json"], status=1, out="", err="only works in the browser"),
    Row(["view", "--cly", "small.json"], status=2, out="", err="did you mean --cli?"),
    Row(["view", "small.json", "p.py"], status=2, out="", err="one too many"),
]
OTHERS = [
    Row(["pause"], status=2, out="", err="give one process id"),
    Row(["pause", "x"], status=2, out="", err="'x' is not a process id"),
    Row(["pause", "-1"], status=2, out=""),
    Row(["resume", "--help"], out="usage: scalene resume PID"),
    Row(["pause", "999999999"], status=1, out="", err="process 999999999 not found"),
    Row(["resume", "1"], status=1, out="", err="process 1 is not being profiled"),
    Row(["completion"], status=2, out="", err="bash, zsh or fish"),
    Row(["completion", "tcsh"], status=2, out="", err="bash, zsh or fish"),
]
ROWS = [*TOP, *BASIC, *ADVANCED, *OURS, *HIDDEN_AND_LEGACY, *PREFIXES, *MISUSE, *PROGRAMS, *METRICS, *CONFIGS,
        *ENDINGS, *VIEW, *OTHERS]


def perform(row, folder):
    write(folder, "p.py", PROGRAM)
    write(folder, "wrong.py", "def")
    write(folder, "pkg/__init__.py", "")
    write(folder, "pkg/__main__.py", PROGRAM)
    write(folder, "small.json", '{"files": {}, "elapsed_time_sec": 1}')
    write(folder, "empty.json", "{}")
    (folder / "sub").mkdir()
    if row.config is not None:
        write(folder, "c.yaml", row.config)
    environment = {**os.environ, "PATH": os.path.dirname(PYTHON) + ":" + os.environ["PATH"]}
    environment.pop("VIRTUAL_ENV", None)
    return scalene(*row.words, cwd=folder, env=environment)


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory):
    top = tmp_path_factory.mktemp("matrix")
    folders = [top / str(i) for i in range(len(ROWS))]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        return list(zip(pool.map(perform, ROWS, folders), folders))


@pytest.mark.parametrize("number", range(len(ROWS)), ids=[str(row)[:70] for row in ROWS])
def test_row(number, outcomes):
    row, (result, folder) = ROWS[number], outcomes[number]
    assert result.returncode == row.status, result.stderr
    assert row.out is None or (row.out in result.stdout if row.out else result.stdout == ""), result.stdout
    assert row.err is None or row.err in result.stderr
    assert row.quiet is None or row.quiet not in result.stderr
    if row.status == 2:
        assert result.stderr.count("\n") == 1, "one sentence"
    profiles = sorted(str(path.relative_to(folder)) for path in folder.rglob("*.json")
                      if path.name not in ("small.json", "empty.json"))
    assert row.file is None or profiles == [row.file]
    assert not result.stdout.startswith("usage") or profiles == []
    if row.memory is not None:
        assert json.loads((folder / row.file).read_text())["memory"] is row.memory


def test_help_shows_every_option_of_the_original():
    basic, advanced = scalene("run", "--help").stdout, scalene("run", "--help-advanced").stdout
    for row in ADVANCED:
        name = row.words[1].split("=")[0]
        assert "  " + name in advanced and name + " " not in basic
    for name in ("-h, --help", "-o, --outfile", "--cpu-only", "-c, --config", "--help-advanced"):
        assert "  " + name in basic and name not in advanced
    for row in HIDDEN_AND_LEGACY:
        assert row.words[1] not in basic + advanced
