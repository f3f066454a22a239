# SPDX-License-Identifier: Apache-2.0
"""Answers that take long: what has come of them is shown, and cancelling does not wait for the rest."""

import contextlib
import os
import pty
import signal
import socket
import subprocess
import time

import pytest
from cli_runner import SCALENE
from fake_provider import CODE, PIECES, fake_provider
from profiling import TIMEOUT_S
from proposing import KEYS, PROVIDERS, clean_environment, propose, write, write_loops

DAY_S = "86400"  # what ends a question in these tests is not that its time is over


@pytest.fixture
def slow():
    with fake_provider() as server:
        yield server


@pytest.fixture
def profile(tmp_path):
    return write(tmp_path)


def start(address, profile, *words, name="ollama", model="slow", **how):
    command = [SCALENE, "propose", "--provider", name, "--address", address, "--model", model, "--timeout", DAY_S,
               *map(str, words), profile]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            env=clean_environment(**KEYS[name]), **how)


def cancel(process):
    """What it said."""
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=TIMEOUT_S)
    assert process.returncode == -signal.SIGINT and stderr.splitlines()[-1] == "scalene: cancelled", stderr
    return stderr


@pytest.mark.parametrize("name", [name for name in PROVIDERS if name != "bedrock"])
def test_the_first_part_is_shown_before_the_last_is_there(slow, profile, name):
    with start(slow.address, profile, name=name) as process:
        shown = b""
        while PIECES[0].encode() not in shown:
            piece = os.read(process.stdout.fileno(), 65536)
            assert piece, process.stderr.read()
            shown += piece
        assert CODE.encode() not in shown and not slow.may_go_on.is_set()
        slow.may_go_on.set()
        rest, stderr = process.communicate(timeout=TIMEOUT_S)
    assert process.returncode == 0 and (shown.decode() + rest).startswith(CODE), stderr


@pytest.mark.parametrize("name", PROVIDERS)
def test_ctrl_c_does_not_wait_for_the_answer(slow, profile, name):
    process = start(slow.address, profile, name=name)
    assert slow.is_waiting.wait(TIMEOUT_S)
    cancel(process)
    assert slow.has_gone.wait(TIMEOUT_S)


def connections_to(port):
    """How many sockets of this computer want to be connected to a port, or are."""
    with open("/proc/net/tcp") as table:
        return sum(line.split()[2].endswith(":%04X" % port) for line in list(table)[1:])


@contextlib.contextmanager
def unanswering_port():
    """One that accepts nobody: its queue has one place, which is taken."""
    with socket.socket() as listener, socket.socket() as first:
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        first.connect(listener.getsockname())
        yield listener.getsockname()[1]


def test_ctrl_c_does_not_wait_for_a_connection(profile):
    with unanswering_port() as port:
        before = connections_to(port)
        process = start("http://127.0.0.1:%d" % port, profile)
        deadline = time.monotonic() + TIMEOUT_S
        while connections_to(port) == before and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.01)
        cancel(process)


def test_what_was_answered_before_is_kept(tmp_path):
    with fake_provider() as tired:
        process = start(tired.address, write_loops(tmp_path), "--top", 2, "--patch", "change.patch", model="tired",
                        cwd=tmp_path)
        assert tired.is_waiting.wait(TIMEOUT_S)
        assert "patch saved to change.patch" in cancel(process)
        assert tired.has_gone.wait(TIMEOUT_S) and len(tired.requests) == 2
    subprocess.run(["git", "apply", "--check", "change.patch"], cwd=tmp_path, check=True)
    assert (tmp_path / "change.patch").read_text().count("\n@@ ") == 1


def test_ctrl_c_is_an_answer_to_the_question_for_consent(profile):
    main, side = pty.openpty()
    process = subprocess.Popen([SCALENE, "propose", "--provider", "ollama", "--address", "http://model.invalid", profile],
                               stdin=side, stdout=subprocess.PIPE, stderr=side, env=clean_environment())
    os.close(side)
    shown = b""
    while b"[y/N] " not in shown:
        shown += os.read(main, 65536)
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=TIMEOUT_S)
    shown = b""
    with contextlib.suppress(OSError):
        while True:
            shown += os.read(main, 65536)
    os.close(main)
    assert process.returncode == -signal.SIGINT and output == b"" and b"scalene: cancelled" in shown


@pytest.mark.parametrize("name", PROVIDERS)
def test_time_is_bounded(slow, profile, name):
    result = propose("--provider", name, "--address", slow.address, "--model", "slow", "--timeout", "0.5", profile,
                     environment=KEYS[name])
    assert result.returncode == 1 and "took too long" in result.stderr
