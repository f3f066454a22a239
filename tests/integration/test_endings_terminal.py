# SPDX-License-Identifier: Apache-2.0
"""At a terminal that is closed, and in a program that is stopped for a while."""

import os
import signal
import subprocess
import time

import profiling
from endings import children, hold, is_alive, make_place, state_of, wait_until
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
        print("interrupts", count, flush=True)  # said where the next one is awaited
        while True:
            time.sleep(0.01)
    except KeyboardInterrupt:
        count += 1
        if count == 2:
            print("interrupts", count, flush=True)
            raise
"""


def test_two_interrupts_from_the_keyboard_are_two(key_python, tmp_path):
    place = make_place(tmp_path, STUBBORN)
    terminal = Terminal(place.command(key_python), tmp_path)
    terminal.expect("interrupts 0")
    terminal.type("\x03")
    terminal.expect("interrupts 1")
    end = time.monotonic() + 0.3  # one that is passed on would come now
    while time.monotonic() < end:
        assert terminal.read_some(), terminal.output
    assert "interrupts 2" not in terminal.output
    terminal.type("\x03")
    terminal.expect("interrupts 2")
    terminal.expect("profile saved")
    assert terminal.end() == -signal.SIGINT
    assert place.profile()["ended"] == {"how": "signal", "status": signal.SIGINT}
    place.assert_clean()


# Asleep before and after it is stopped, until it is told to end.
SLEEPS = """
signal.signal(signal.SIGUSR1, lambda *_: sys.exit(3))
print("ready", flush=True)
while True:
    time.sleep(600)
"""
STOPPED_S = 1.5


def ready_s(pid):
    """How long it has had to wait for a core."""
    with open("/proc/%d/schedstat" % pid) as file:
        return int(file.read().split()[1]) / 1e9


def assert_stop_is_not_counted(document, least_s, passed_s):
    (note,) = [note for note in document["quality"]["notes"] if "was stopped for" in note]
    told_s = float(note.split()[5])
    assert least_s <= told_s <= passed_s
    assert document["elapsed_time_sec"] <= passed_s - told_s + 0.1
    assert sum(document["totals"]["wait_s"].values()) <= passed_s - told_s + 0.25


def test_time_in_which_the_program_is_stopped_is_not_counted(key_python, tmp_path):
    """Scalene is told of the stop when it next has a core and nothing else to do, and what has passed by then it counts
    as running."""
    place = make_place(tmp_path, SLEEPS)
    begin = time.monotonic()
    with place.start(key_python, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout.readline() == "ready\n"
        (program,) = children(process.pid)
        late_s = -ready_s(process.pid) - profiling.stolen_s()
        hold(program)
        time.sleep(STOPPED_S)
        os.kill(program, signal.SIGCONT)
        time.sleep(0.3)
        late_s += ready_s(process.pid) + profiling.stolen_s()
        os.kill(program, signal.SIGUSR1)
        assert process.wait(profiling.TIMEOUT_S) == 3
    assert_stop_is_not_counted(place.profile(), STOPPED_S / 2 - late_s, time.monotonic() - begin)
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
    time.sleep(STOPPED_S)  # of which scalene knows: it has stopped itself
    shell.type("fg\n")
    wait_until(lambda: state_of(program) != "T", "the program does not go on")
    os.kill(program, signal.SIGUSR1)
    shell.expect("profile saved")
    shell.expect("$ ")
    passed_s = time.monotonic() - begin
    shell.type("echo status $?; exit\n")
    shell.expect("status 3")
    shell.end()
    assert_stop_is_not_counted(place.profile(), STOPPED_S - 0.1, passed_s)  # told in tenths
