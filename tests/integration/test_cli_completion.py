# SPDX-License-Identifier: Apache-2.0
"""Completion of the command line, asked of the shells themselves."""

import shutil

import pytest
from cli_runner import SCALENE, call, scalene, write
from terminal import Terminal

BASH = """
source <("$1" completion bash)
COMP_WORDS=("${@:2}")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_scalene 2>/dev/null  # compopt wants a completion under way
printf '%s\\n' "${COMPREPLY[@]}"
"""
FISH = '"$argv[1]" completion fish | source; complete -C "$argv[2]" | string replace -r "\\t.*" ""'

def need(shell):
    path = shutil.which(shell)
    if not path:
        pytest.skip("%s is not installed" % shell)
    return path


@pytest.fixture
def project(tmp_path):
    for name in ("prog.py", "notes.txt", "profile.json", "sub/inner.py"):
        write(tmp_path, name, "")
    return tmp_path


def in_bash(words, project):
    return set(call([need("bash"), "-c", BASH, "bash", SCALENE, *words], cwd=project).stdout.split())


def in_fish(words, project):
    return set(call([need("fish"), "-c", FISH, SCALENE, " ".join(words)], cwd=project).stdout.split())


SHELLS = {"bash": in_bash, "fish": in_fish}
COMMANDS = {"run", "view", "pause", "resume", "completion"}
CASES = [
    (["scalene", ""], COMMANDS, {"--cpu-only", "prog.py"}),
    (["scalene", "run", "--profile-"], {"--profile-all", "--profile-only", "--profile-interval"}, {"--cpu-only"}),
    (["scalene", "run", "--cpu-o"], {"--cpu-only"}, {"--outfile"}),
    (["scalene", "run", "-o", "x", "--no-st"], {"--no-stacks"}, set()),
    (["scalene", "run", "--j"], set(), {"--json"}),
    (["scalene", "run", "pr"], {"prog.py"}, {"notes.txt"}),
    (["scalene", "run", "prog.py", "--cpu"], set(), {"--cpu-only"}),
    (["scalene", "run", "--program-path", "s"], {"sub"}, {"prog.py"}),
    (["scalene", "run", "--cpu-sampling-rate", "0.1", "--of"], {"--off"}, set()),
    (["scalene", "view", "--"], {"--cli", "--reduced"}, {"--cpu-only"}),
    (["scalene", "completion", ""], {"bash", "zsh", "fish"}, {"prog.py"}),
]


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("words, wanted, unwanted", CASES, ids=[" ".join(case[0]) for case in CASES])
def test_what_a_shell_proposes(shell, words, wanted, unwanted, project):
    found = {word.rstrip("/") for word in SHELLS[shell](words, project)}
    if shell == "fish":  # it shows files of any ending
        unwanted = unwanted - {"notes.txt"}
    assert wanted <= found
    assert not unwanted & found


def test_zsh_knows_commands_and_options(project, tmp_path):
    zsh = need("zsh")
    functions = tmp_path / "functions"
    write(functions, "_scalene", scalene("completion", "zsh").stdout)
    assert call([zsh, "-fn", functions / "_scalene"]).stderr == ""
    shell = Terminal([zsh, "-fi"], project, TERM="vt100", PS1="$ ")
    shell.expect("$ ")
    shell.type(f"fpath=({functions} $fpath); autoload -U compinit; compinit -u -d {tmp_path}/dump; print rea''dy\r")
    shell.expect("ready")
    shell.expect("$ ")  # not before is what is typed the line editor's: the terminal itself would take ^D for an end

    def ask(line, last):
        """Types the line and ^D, which lists; the list ends with `last`. ^U takes it back."""
        start = shell.seen
        shell.type(line + "\x04")
        shell.expect(last)
        shell.type("\x15")
        return shell.output[start:]

    commands = ask("scalene ", "view ")
    assert all(name in commands for name in COMMANDS)
    options = ask("scalene run --profile-", "--profile-system-libraries")
    assert "--profile-all" in options and "--profile-interval" in options and "--outfile" not in options
    assert "prog.py" in ask("scalene run -o x p", "prog.py")
    shell.kill()


def test_scripts_come_without_a_word_on_stderr():
    for shell in ("bash", "zsh", "fish"):
        result = scalene("completion", shell)
        assert result.returncode == 0 and result.stderr == ""
        assert "made by: scalene completion " + shell in result.stdout
