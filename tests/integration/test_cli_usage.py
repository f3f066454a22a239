# SPDX-License-Identifier: Apache-2.0
"""What the command line says about itself, and what it accepts."""

import re

import pytest
from cli_runner import BUILD, ROOT, call, run, scalene, write


def test_without_arguments_help_goes_to_stderr():
    result = scalene()
    assert result.returncode == 1
    assert result.stdout == ""
    assert "usage: scalene" in result.stderr


@pytest.mark.parametrize("words", [["--help"], ["-h"], ["run", "--help"], ["view", "-h"]])
def test_help_goes_to_stdout(words):
    result = scalene(*words)
    assert result.returncode == 0
    assert result.stderr == ""
    assert result.stdout.startswith("usage: scalene")
    assert "\033" not in result.stdout


def test_advanced_help_shows_only_the_advanced_options():
    advanced = scalene("run", "--help-advanced")
    basic = scalene("run", "--help")
    assert advanced.returncode == 0
    assert "--profile-all" in advanced.stdout and "--profile-all" not in basic.stdout
    assert "--outfile" in basic.stdout and "--outfile" not in advanced.stdout
    assert "--no-browser" not in basic.stdout + advanced.stdout


def test_colours_only_when_asked_for(monkeypatch):
    monkeypatch.setenv("CLICOLOR_FORCE", "1")
    assert "\033[" in scalene("--help").stdout
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\033[" not in scalene("--help").stdout


def test_version():
    result = scalene("--version")
    assert result.returncode == 0
    assert re.fullmatch(r"Scalene version 3\.\d+\.\d+ \(\d{4}\.\d\d\.\d\d\)\n", result.stdout)


@pytest.mark.parametrize("words", [["prog.py", "x"], ["--cpu-only", "prog.py"], ["-m", "mod"]])
def test_a_call_of_the_old_kind_brings_the_new_one(words):
    result = scalene(*words)
    assert result.returncode == 1
    assert f"'{words[0]}' is not a valid command" in result.stderr
    assert "Did you mean: scalene run " + " ".join(words) + "\n" in result.stderr


def test_an_unknown_command_is_misuse():
    result = scalene("veiw")
    assert result.returncode == 2
    assert "did you mean scalene view?" in result.stderr


@pytest.mark.parametrize(
    "words, sentence",
    [
        (["--cpu-onyl", "p.py"], "unknown option '--cpu-onyl'; did you mean --cpu-only?"),
        (["--cpu", "p.py"], "ambiguous option '--cpu'"),
        (["-u", "p.py"], "unknown option '-u'"),
        (["--outfile"], "needs a value"),
        (["--on", "--off", "p.py"], "exclude each other"),
        (["--cpu-sampling-rate", "x", "p.py"], "'x' is not a number"),
        (["--cpu-sampling-rate", "0", "p.py"], "out of range"),
    ],
)
def test_misuse_is_one_sentence_and_status_2(words, sentence, tmp_path):
    write(tmp_path, "p.py", "print('ran')")
    result = scalene("run", *words, cwd=tmp_path)
    assert result.returncode == 2
    assert sentence in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert result.stdout == ""


def test_options_of_older_versions_are_read_over(tmp_path):
    write(tmp_path, "p.py", "import sys; print(sys.argv)")
    words = "--json --cli --html --web --no-browser --column-width 80 --reduced-profile p.py --json"
    result = run(*words.split(), cwd=tmp_path)
    assert result.returncode == 0
    assert result.stdout == "['p.py', '--json']\n"


def test_options_may_be_abbreviated(tmp_path):
    write(tmp_path, "p.py", "")
    result = run("--outf", "x", "--cpu-o", "--no-st", "p.py", cwd=tmp_path)
    assert result.returncode == 0
    assert (tmp_path / "x.json").exists()


def test_a_configuration_file_takes_effect_and_the_line_wins(tmp_path):
    write(tmp_path, "p.py", "")
    write(tmp_path, "c.yaml", "outfile: from-file\ncolour: red\n")
    result = run("-c", "c.yaml", "p.py", cwd=tmp_path)
    assert (tmp_path / "from-file.json").exists()
    assert result.stderr.count("unknown config option 'colour' (ignored)") == 1
    run("--config", "c.yaml", "-o", "from-line", "p.py", cwd=tmp_path)
    assert (tmp_path / "from-line.json").exists()


@pytest.mark.parametrize(
    "text, sentence",
    [
        (None, "config file 'c.yaml' not found"),
        ("a: [", "invalid YAML in config file 'c.yaml'"),
        ("- a", "must contain a YAML mapping (got a list)"),
        ("cpu-sampling-rate: x", "'x' is not a number"),
    ],
)
def test_a_bad_configuration_file_is_status_1(text, sentence, tmp_path):
    write(tmp_path, "p.py", "print('ran')")
    if text is not None:
        write(tmp_path, "c.yaml", text)
    result = run("-c", "c.yaml", "p.py", cwd=tmp_path)
    assert result.returncode == 1
    assert sentence in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert result.stdout == ""


def test_the_manual_page_is_current():
    made = call([BUILD / "docs/make-manual", ROOT / "docs/scalene.1.in"])
    assert made.returncode == 0
    assert made.stdout == (ROOT / "docs/scalene.1").read_text(), "make manual writes it anew"


def test_the_manual_page_has_every_option_that_help_shows():
    shown = set()
    for words in (["run", "--help"], ["run", "--help-advanced"], ["view", "--help"], ["--help"]):
        shown.update(re.findall(r"--[a-z][a-z-]+", scalene(*words).stdout))
    page = (ROOT / "docs/scalene.1").read_text().replace("\\-", "-")
    assert shown - set(re.findall(r"--[a-z][a-z-]+", page)) == set()


@pytest.mark.parametrize("columns", [40, 60, 80, 132])
@pytest.mark.parametrize("words", [["--help"], ["run", "-h"], ["run", "--help-advanced"], ["view", "-h"],
                                   ["pause", "-h"], ["completion", "-h"]], ids=" ".join)
def test_help_is_folded_to_the_screen(words, columns, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(columns))
    text = scalene(*words).stdout
    assert max(map(len, text.splitlines())) <= columns
    monkeypatch.setenv("FORCE_COLOR", "1")
    coloured = scalene(*words).stdout
    assert "\033[1;34musage:\033[0m \033[1;35mscalene" in coloured
    assert re.sub("\033\\[[0-9;]*m", "", coloured) == text


def test_help_has_the_colours_of_argparse(monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    text = scalene("run", "--help").stdout
    assert "\033[1;34moptions:\033[0m" in text
    assert "\033[1;32m-o\033[0m, \033[1;36m--outfile\033[0m \033[1;33mFILE\033[0m" in text
