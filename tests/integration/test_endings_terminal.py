# SPDX-License-Identifier: Apache-2.0
"""At a terminal that is closed, and in a program that is stopped for a while."""

import os
import signal
import subprocess
import time

import profiling
from endings import children, is_alive, make_place, wait_until
from test_cli_terminal import Terminal

READY = "print('ready', flush=True)\nwhile True: time.sleep(0.01)"


def test_a_closed_terminal_without_a_shell_ends_the_program_and_its_profile_is_there(key_python, tmp_path):
    place = make_place(tmp_path, READY)
    os.environ["TMPDIR"] = str(place.temporary)
    try:
        terminal = Terminal(place.command(key_python), tmp_path)
    finally:
        del os.environ["TMPDIR"]
    terminal.expect("ready\r\n")
    os.close(terminal.fd)
    wait_until(lambda: not is_alive(terminal.pid), "scalene outlives its terminal")
    _, status = os.waitpid(terminal.pid, 0)
    assert os.waitstatus_to_exitcode(status) == -signal.SIGHUP
    assert place.profile()["ended"] == {"how": "signal", "status": signal.SIGHUP}
    place.assert_clean()


STUBBORN = """
count = 0
while True:
    try:
        if count == 0:
            print("ready", flush=True)
        while True:
            time.sleep(0.01)
    except KeyboardInterrupt:
        count += 1
        print("interrupt", count, flush=True)
        if count == 2:
            raise
"""


def test_two_interrupts_from_the_keyboard_are_two(key_python, tmp_path):
    place = make_place(tmp_path, STUBBORN)
    terminal = Terminal(place.command(key_python), tmp_path)
    terminal.expect("ready")
    terminal.type("\x03")
    terminal.expect("interrupt 1")
    time.sleep(0.3)  # one that is passed on would come now
    assert "interrupt 2" not in terminal.output
    terminal.type("\x03")
    terminal.expect("interrupt 2")
    terminal.expect("profile saved")
    assert terminal.end() == -signal.SIGINT
    assert place.profile()["ended"] == {"how": "signal", "status": signal.SIGINT}
    place.assert_clean()


SLEEPS = """
print("ready", flush=True)
time.sleep(1.2)
sys.exit(3)
"""


def state_of(pid):
    with open("/proc/%d/stat" % pid) as file:
        return file.read().rpartition(")")[2].split()[0]


def assert_stop_is_not_counted(document, stopped_s, passed_s):
    """Scalene is told of the stop when it next has a core, and what has passed by then it counts as running."""
    (note,) = [note for note in document["quality"]["notes"] if "was stopped for" in note]
    told_s = float(note.split()[5])
    assert stopped_s / 2 <= told_s <= passed_s
    assert document["elapsed_time_sec"] <= passed_s - told_s + 0.1
    assert sum(document["totals"]["wait_s"].values()) <= passed_s - told_s + 0.25


def test_time_in_which_the_program_is_stopped_is_not_counted(key_python, tmp_path):
    place = make_place(tmp_path, SLEEPS)
    begin = time.monotonic()
    with place.start(key_python, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout.readline() == "ready\n"
        (program,) = children(process.pid)
        os.kill(program, signal.SIGSTOP)
        wait_until(lambda: state_of(program) == "T", "the program does not stop")
        time.sleep(1.5)
        os.kill(program, signal.SIGCONT)
        assert process.wait(profiling.TIMEOUT_S) == 3
    assert_stop_is_not_counted(place.profile(), 1.5, time.monotonic() - begin)
    place.assert_clean()


def test_scalene_stops_and_goes_on_with_a_program_at_the_terminal(key_python, tmp_path):
    place = make_place(tmp_path, SLEEPS)
    begin = time.monotonic()
    shell = Terminal(["/bin/bash", "--norc", "--noediting", "-i"], tmp_path)
    shell.expect("$ ")
    shell.type(" ".join(place.command(key_python)) + "\n")
    shell.expect("ready")
    shell.type("\x1a")
    shell.expect("Stopped")
    (scalene,) = children(shell.pid)
    (program,) = children(scalene)
    assert (state_of(scalene), state_of(program)) == ("T", "T")
    time.sleep(1.5)
    shell.type("fg\n")
    shell.expect("profile saved")
    shell.expect("$ ")
    passed_s = time.monotonic() - begin
    shell.type("echo status $?; exit\n")
    shell.expect("status 3")
    shell.end()
    assert_stop_is_not_counted(place.profile(), 1.5, passed_s)
