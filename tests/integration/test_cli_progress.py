# SPDX-License-Identifier: Apache-2.0
"""--progress shows something, and never in the program's output."""

import re

from cli_runner import PYTHON, SCALENE, call, write
from terminal import Terminal

# Until somebody has seen enough, and for longer than it takes until something is shown.
PROGRAM = """
import os, time
end = time.monotonic() + 1.6
while time.monotonic() < end or not os.path.exists("enough"):
    sum(range(20_000))
print("program")
"""
TITLE = re.compile("\033\\]2;([^\033]*)\033\\\\")
LINE = re.compile("\r\033\\[K([^\r\033]+)")
IN_THE_LOOP = re.compile(r"scalene \d+:\d\d  CPU \d+ %  \d+ MB  p\.py:5 \d+ %")


def command():
    return [SCALENE, "run", "--python", PYTHON, "--progress", "-o", "o", "p.py"]


def see_enough(terminal, folder):
    """Before it computes, which may be late on a crowded machine, another line may be the hottest."""
    for _ in range(2):
        terminal.expect("p.py:5 ")
    write(folder, "enough", "")


def write_program(folder):
    """One that nobody has to look at."""
    write(folder, "p.py", PROGRAM)
    write(folder, "enough", "")


def test_it_is_the_terminals_title(tmp_path):
    write(tmp_path, "p.py", PROGRAM)
    terminal = Terminal(command(), tmp_path, TERM="xterm")
    see_enough(terminal, tmp_path)
    terminal.expect("profile saved")
    assert terminal.end() == 0
    assert IN_THE_LOOP.fullmatch(TITLE.findall(terminal.output)[-1])
    rest = TITLE.sub("", terminal.output)
    assert rest.startswith("\033[22;2tprogram\r\n\033[23;2t\r\nScalene: ")


def test_it_is_a_line_where_the_program_writes_elsewhere(tmp_path):
    write(tmp_path, "p.py", PROGRAM)
    shell = ["/bin/sh", "-c", '"$@" >out 2>err', "sh", *command()]
    terminal = Terminal(shell, tmp_path, TERM="xterm")
    see_enough(terminal, tmp_path)
    assert terminal.end() == 0
    assert IN_THE_LOOP.fullmatch(LINE.findall(terminal.output)[-1])
    assert LINE.sub("", terminal.output) == "\r\033[K", "and the line is cleared"
    assert (tmp_path / "out").read_text() == "program\n"
    assert "\033" not in (tmp_path / "err").read_text()


def test_without_a_terminal_there_is_nothing(tmp_path):
    write_program(tmp_path)
    result = call(command(), cwd=tmp_path, start_new_session=True)
    assert result.stdout == "program\n"
    assert result.stderr.startswith("\nScalene: ") and "\033" not in result.stderr


def test_a_terminal_without_title_and_one_that_is_written_to_get_nothing(tmp_path):
    write_program(tmp_path)
    terminals = [Terminal(command(), tmp_path, TERM="dumb"),
                 Terminal(["/bin/sh", "-c", '"$@" 2>err', "sh", *command()], tmp_path, TERM="xterm")]
    for terminal in terminals:
        terminal.end()
        assert "\033" not in terminal.output and "program" in terminal.output


def test_without_the_option_the_terminal_is_the_programs(tmp_path):
    write_program(tmp_path)
    words = [word for word in command() if word != "--progress"]
    terminal = Terminal(words, tmp_path, TERM="xterm")
    terminal.end()
    assert "\033" not in terminal.output
