# SPDX-License-Identifier: Apache-2.0
"""Profiles a program that runs already: `start` loads the agent into this process and starts a
collector beside it, `stop` writes the profile. Any number of times, one at a time. docs/live.md says
how, and what cannot be seen this way.
"""

from __future__ import annotations

import atexit
import ctypes
import os
import sys
import threading
import time

from scalene import _command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional, Sequence

REPLY_BYTES = 8192
IS_SAVED = 2  # enum control_stage
COLLECTOR_IS_GONE = -1

# enum live_status
REFUSALS = {
    1: "this process is being profiled already",
    2: "the collector is of another version; install scalene again",
    3: "no Python interpreter was found in this process",
    4: "there is no room for the samples in /dev/shm or the temporary folder",
    5: "the system refuses the sampling signal",
    6: "the agent's own symbols cannot be read; install scalene again",
}


class LiveError(RuntimeError):
    """Profiling could not be started, or its profile not be written. The program is as it was."""


class _Agent:
    """The library in this process. What needs the interpreter as it is keeps the GIL."""

    def __init__(self, path: str) -> None:
        try:
            with_gil = ctypes.PyDLL(path, mode=os.RTLD_NOW | os.RTLD_LOCAL | os.RTLD_NODELETE)
            without_gil = ctypes.CDLL(path, mode=os.RTLD_NOW | os.RTLD_LOCAL | os.RTLD_NODELETE)
        except OSError as error:
            raise LiveError(f"cannot load the agent: {error}; profile with `scalene run` instead") from None
        self.is_active = with_gil.scalene_agent_is_active
        self.start = with_gil.scalene_agent_start
        self.stop = with_gil.scalene_agent_stop
        self.stage = with_gil.scalene_agent_stage
        self.dismiss = without_gil.scalene_agent_dismiss
        self.launch = without_gil.scalene_agent_launch


class _State:
    agent: Optional[_Agent] = None
    run_dir = ""  # of the session that is on; empty: none is
    pid = 0  # the process that began it


_state = _State()
_lock = threading.RLock()


def _agent_path(command: str) -> str:
    """Where `launch/agent_file.h` has the command look as well."""
    folder = os.path.dirname(os.path.realpath(command))
    for place in (folder, os.path.join(folder, "..", "lib", "scalene")):
        path = os.path.join(place, "libscalene-agent.so")
        if os.path.exists(path):
            return os.path.normpath(path)
    raise LiveError(f"libscalene-agent.so is neither beside {command} nor in ../lib/scalene; install scalene again")


def _own_words() -> list[bytes]:
    """This program's command line after the interpreter's name."""
    try:
        with open("/proc/self/cmdline", "rb") as file:
            return file.read().split(b"\0")[1:-1]
    except OSError:
        return []


def _text_array(words: Sequence[bytes]) -> ctypes.Array[ctypes.c_char_p]:
    return (ctypes.c_char_p * (len(words) + 1))(*words, None)


def _launch(agent: _Agent, command: str, options: Sequence[str], outfile: str) -> str:
    """Starts the collector. Returns the run's directory."""
    arguments = [os.fsencode(word) for word in (command, "collect", "--no-config", "-o", outfile, *options, str(os.getpid()), "---")]
    environment = [name + b"=" + value for name, value in os.environb.items()]
    reply = ctypes.create_string_buffer(REPLY_BYTES)
    error = agent.launch(_text_array(arguments + _own_words()), _text_array(environment), reply,
                         ctypes.c_size_t(REPLY_BYTES))
    if error:
        raise LiveError(f"cannot start {command}: {os.strerror(error)}")
    answer = os.fsdecode(reply.value).strip()
    if not answer.startswith("/"):
        raise LiveError(answer or f"{command} ended without a word")
    return answer


def _renew_lock() -> None:
    """The thread that held it is not in the child of a fork."""
    global _lock
    _lock = threading.RLock()


def _is_on() -> bool:
    return _state.run_dir != "" and _state.pid == os.getpid()


def start(options: Sequence[str] = (), outfile: str = "scalene-profile.json") -> None:
    """Profiles this process from here on, with these options of `scalene run`; `-o` among them wins. Does
    nothing if it is being profiled already, be it as a part of its parent's run."""
    with _lock:
        command = _command.find()
        if _state.agent is None:
            _state.agent = _Agent(_agent_path(command))
            atexit.register(_stop_at_exit)
            os.register_at_fork(after_in_child=_renew_lock)
        agent = _state.agent
        if agent.is_active():
            return
        run_dir = _launch(agent, command, options, os.path.abspath(outfile))
        refusal = agent.start(os.fsencode(run_dir))
        if refusal:
            agent.dismiss()
            raise LiveError(REFUSALS.get(refusal, f"error {refusal}"))
        _state.run_dir, _state.pid = run_dir, os.getpid()


def _await_answer(agent: _Agent) -> str:
    pause = 0.001
    stage = agent.stage()
    while stage not in (IS_SAVED, COLLECTOR_IS_GONE):
        time.sleep(pause)
        pause = min(pause * 1.5, 0.02)
        stage = agent.stage()
    if stage == COLLECTOR_IS_GONE:
        raise LiveError("the collector was killed, and the profile is lost")
    try:
        with open(os.path.join(_state.run_dir, "answer"), "rb") as file:
            answer = os.fsdecode(file.read())
    except OSError as error:
        raise LiveError(f"it is not known where the profile was written: {error}") from None
    if not answer.startswith("/"):
        raise LiveError(f"the profile is lost: {answer[1:]}")
    return answer


def stop() -> Optional[str]:
    """Ends what `start` has begun and returns the path of the profile once it is written; None if this
    process has not begun anything."""
    with _lock:
        if not _is_on() or _state.agent is None:
            return None
        agent = _state.agent
        agent.stop()
        try:
            return _await_answer(agent)
        finally:
            _state.run_dir = ""
            agent.dismiss()


def _stop_at_exit() -> None:
    """So that the profile is there when the program is gone."""
    try:
        if _is_on():
            stop()
    except LiveError as error:
        print(f"scalene: {error}", file=sys.stderr)
