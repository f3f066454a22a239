# SPDX-License-Identifier: Apache-2.0
"""--progress shows something, and never in the program's output."""

import re

from cli_runner import PYTHON, SCALENE, call, write
from terminal import Terminal

PROGRAM = """
import time
end = time.monotonic() + 1.6
while time.monotonic() < end or time.process_time() < 0.5:
    sum(range(1000))
print("program")
"""
WORDS = r"scalene \d+:\d\d  CPU \d+ %  \d+ MB(?:  p\.py:[45] \d+ %)?"
TITLE = re.compile("\033\\]2;(%s)\033\\\\" % WORDS)
LINE = re.compile("\r\033\\[K(%s)" % WORDS)


def command(*more):
    return [SCALENE, "run", "--python", PYTHON, "--progress", "-o", "o", "p.py", *more]


def test_it_is_the_terminals_title(tmp_path):
    write(tmp_path, "p.py", PROGRAM)
    terminal = Terminal(command(), tmp_path, TERM="xterm")
    terminal.expect("profile saved")
    assert terminal.end() == 0
    titles = TITLE.findall(terminal.output)
    assert len(titles) >= 2 and "p.py:5" in titles[-1]
    rest = TITLE.sub("", terminal.output)
    assert rest.startswith("\033[22;2tprogram\r\n\033[23;2t\r\nScalene: ")


def test_it_is_a_line_where_the_program_writes_elsewhere(tmp_path):
    write(tmp_path, "p.py", PROGRAM)
    shell = ["/bin/sh", "-c", '"$@" >out 2>err', "sh", *command()]
    terminal = Terminal(shell, tmp_path, TERM="xterm")
    assert terminal.end() == 0
    lines = LINE.findall(terminal.output)
    assert len(lines) >= 2 and "p.py:5" in lines[-1]
    assert LINE.sub("", terminal.output) == "\r\033[K", "and the line is cleared"
    assert (tmp_path / "out").read_text() == "program\n"
    assert "\033" not in (tmp_path / "err").read_text()


def test_without_a_terminal_there_is_nothing(tmp_path):
    write(tmp_path, "p.py", PROGRAM)
    result = call(command(), cwd=tmp_path, start_new_session=True)
    assert result.stdout == "program\n"
    assert result.stderr.startswith("\nScalene: ") and "\033" not in result.stderr


def test_a_terminal_without_title_and_one_that_is_written_to_get_nothing(tmp_path):
    write(tmp_path, "p.py", PROGRAM)
    terminals = [Terminal(command(), tmp_path, TERM="dumb"),
                 Terminal(["/bin/sh", "-c", '"$@" 2>err', "sh", *command()], tmp_path, TERM="xterm")]
    for terminal in terminals:
        terminal.end()
        assert "\033" not in terminal.output and "program" in terminal.output


def test_without_the_option_the_terminal_is_the_programs(tmp_path):
    write(tmp_path, "p.py", PROGRAM)
    words = [word for word in command() if word != "--progress"]
    terminal = Terminal(words, tmp_path, TERM="xterm")
    terminal.end()
    assert "\033" not in terminal.output
