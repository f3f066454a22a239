# SPDX-License-Identifier: Apache-2.0
"""`scalene view` and the terminal it finds."""

import json
import os
import pty
import signal
import subprocess

import pytest
from cli_runner import SCALENE, run, scalene, write

BUSY = """
def busy():
    total = 0
    for i in range(3_000_000):
        total += i * i
    return total
busy()
"""


@pytest.fixture(scope="module")
def profile(tmp_path_factory):
    folder = tmp_path_factory.mktemp("view")
    write(folder, "p.py", BUSY)
    run("p.py", cwd=folder)
    return folder


def test_a_missing_profile_brings_what_to_do(tmp_path):
    for words in (["--cli"], ["--cli", "other.json"], ["-r", "other.json"]):
        result = scalene("view", *words, cwd=tmp_path)
        assert result.returncode == 1
        name = "other.json" if "other.json" in words else "scalene-profile.json"
        assert f"profile file '{name}' not found" in result.stderr
        assert "scalene run" in result.stderr
        assert result.stdout == ""


@pytest.mark.parametrize("text", ["", "{", "[]", "\0\0"])
def test_what_is_no_profile_is_refused(tmp_path, text):
    path = write(tmp_path, "x.json", text)
    result = scalene("view", "--cli", path)
    assert result.returncode == 1
    assert "x.json" in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_the_table_has_the_program(profile):
    result = scalene("view", "--cli", cwd=profile)
    assert result.returncode == 0
    assert result.stderr == ""
    assert "total += i * i" in result.stdout
    assert "\033" not in result.stdout


def test_the_reduced_table_is_shorter(profile):
    whole = scalene("view", "--cli", cwd=profile).stdout
    reduced = scalene("view", "-r", "--cli", "scalene-profile.json", cwd=profile).stdout
    assert len(reduced.splitlines()) < len(whole.splitlines())


def test_options_of_the_table_ask_for_the_terminal(profile):
    for words in (["-n", "3"], ["--sort", "time"], ["--seconds"], ["--errors"], ["--format", "table"]):
        result = scalene("view", *words, cwd=profile)
        assert result.returncode == 0
        assert "total += i * i" in result.stdout
        assert result.stderr == ""


def test_the_heaviest_come_first(profile):
    rows = scalene("view", "-n", "2", cwd=profile).stdout
    assert "total += i * i" in rows and "return total" not in rows
    heaviest = scalene("view", "--format", "tsv", "--sort", "python", "-n", "1", cwd=profile).stdout
    heading, row = heaviest.splitlines()
    cells = dict(zip(heading.split("\t"), row.split("\t")))
    assert cells["line"] in ("4", "5") and float(cells["python_s"]) > 0


def test_lines_for_other_programs(profile):
    listed = json.loads(scalene("view", "--format", "json", cwd=profile).stdout)
    tsv = scalene("view", "--format", "tsv", cwd=profile).stdout.splitlines()
    assert len(listed["lines"]) == len(tsv) - 1
    saved = json.loads((profile / "scalene-profile.json").read_text())
    assert listed["findings"] == saved["findings"]
    assert "| Line | Python |" in scalene("view", "--format", "md", cwd=profile).stdout


def test_words_that_are_no_choice_are_refused(profile):
    for option, proposal in {"--format": "tsv", "--sort": "memory", "--color": "never"}.items():
        result = scalene("view", "--cli", option, "nonsense", cwd=profile)
        assert result.returncode == 1
        assert "nonsense" in result.stderr and proposal in result.stderr
        assert len(result.stderr.splitlines()) == 1


def test_colour_can_be_asked_for(profile, monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\033[" in scalene("view", "--cli", "--color=always", cwd=profile).stdout
    monkeypatch.setenv("CLICOLOR_FORCE", "1")
    monkeypatch.delenv("NO_COLOR")
    assert "\033[" not in scalene("view", "--cli", "--color", "never", cwd=profile).stdout


def test_one_profile_at_a_time(profile):
    result = scalene("view", "--cli", "a.json", "b.json", cwd=profile)
    assert result.returncode == 2
    assert "'b.json' is one too many" in result.stderr


@pytest.mark.parametrize("columns", [40, 80, 132, 200])
def test_the_width_is_respected(profile, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    lines = scalene("view", "--cli", cwd=profile).stdout.splitlines()
    table = [line for line in lines if "total += i" in line]
    assert table and max(map(len, table)) <= columns


def test_without_utf8_everything_is_ascii(profile, monkeypatch):
    monkeypatch.setenv("LC_ALL", "C")
    assert scalene("view", "--cli", cwd=profile).stdout.isascii()
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    assert not scalene("view", "--cli", cwd=profile).stdout.isascii()


def at_a_terminal(words, folder, **environment):
    pid, fd = pty.fork()
    if pid == 0:
        os.chdir(folder)
        os.execve(words[0], words, {**os.environ, **environment})
    output = b""
    while True:
        try:
            piece = os.read(fd, 65536)
        except OSError:
            break
        output += piece
    os.waitpid(pid, 0)
    os.close(fd)
    return output


def test_colours_at_a_terminal(profile, monkeypatch):
    for name in ("NO_COLOR", "CLICOLOR_FORCE"):
        monkeypatch.delenv(name, raising=False)
    words = [SCALENE, "view", "--cli"]
    assert b"\033[" in at_a_terminal(words, profile, TERM="xterm")
    assert b"\033[" not in at_a_terminal(words, profile, TERM="dumb")
    assert b"\033[" not in at_a_terminal(words, profile, TERM="xterm", NO_COLOR="1")
    monkeypatch.setenv("CLICOLOR_FORCE", "1")
    assert "\033[" in scalene("view", "--cli", cwd=profile).stdout


def test_a_reader_that_stops_reading_ends_it_quietly(profile):
    read_end, write_end = os.pipe()
    os.close(read_end)
    result = subprocess.run([SCALENE, "view", "--cli"], cwd=profile, stdout=write_end,
                            stderr=subprocess.PIPE, text=True, restore_signals=False)
    os.close(write_end)
    assert result.returncode == -signal.SIGPIPE
    assert result.stderr == ""


def test_a_full_device_is_said(profile):
    with open("/dev/full", "w") as full:
        result = subprocess.run([SCALENE, "view", "--cli"], cwd=profile, stdout=full,
                                stderr=subprocess.PIPE, text=True)
    assert result.returncode == 1
    assert "No space left" in result.stderr
