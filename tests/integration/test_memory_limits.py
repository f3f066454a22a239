# SPDX-License-Identifier: Apache-2.0
"""A program that runs out of memory does so as it would bare, and its profile says what held it all."""

import resource
import signal

import pytest
from memory import MB, holder, of_line
from transparency import assert_same, both

EATER = """
import sys
held = []
reserve = bytearray(20_000_000)  # to end with: how much is left otherwise, is chance
def small():
    held.append(bytearray(100_000))
def eat():
    try:
        while True:
            held.append(bytearray(10_000_000))
    finally:
        reserve.clear()
for _ in range(10):
    small()
"""
EATING_LINE = 10
KILLED_LINE = EATER.count("\n") + 3


def limit_memory(size_mb):
    def prepare():
        resource.setrlimit(resource.RLIMIT_AS, (size_mb * MB, size_mb * MB))

    return prepare


def assert_told(run, least_mb, field):
    path, line = holder(run)
    assert (path.rsplit("/")[-1], line) == ("program.py", EATING_LINE)
    assert of_line(run, "program.py", EATING_LINE, field) >= least_mb


def test_an_uncaught_memory_error(python, program, tmp_path):
    bare, profiled = both(python, program(EATER + "eat()\n"), folder=tmp_path, preexec_fn=limit_memory(500))
    assert bare.status == 1 and bare.stderr.endswith("MemoryError\n")
    assert_same(bare, profiled)
    assert_told(profiled, 300, "live_at_peak_mb")


def test_a_caught_memory_error(python, program, tmp_path):
    text = EATER + "try:\n    eat()\nexcept MemoryError as error:\n    print(repr(error))\n" \
        "del held[:]\nprint(len(bytearray(100_000_000)))\n"
    bare, profiled = both(python, program(text), folder=tmp_path, preexec_fn=limit_memory(500))
    assert bare.stdout == "MemoryError()\n100000000\n"
    assert_same(bare, profiled)
    assert_told(profiled, 300, "live_at_peak_mb")
    assert of_line(profiled, "program.py", EATING_LINE, "live_at_end_mb") <= 1


def test_a_limit_that_the_program_sets_itself(python, program, tmp_path):
    text = EATER + "import resource\nresource.setrlimit(resource.RLIMIT_AS, (400 << 20, 400 << 20))\neat()\n"
    bare, profiled = both(python, program(text), folder=tmp_path)
    assert bare.status == 1
    assert_same(bare, profiled)
    assert_told(profiled, 200, "live_at_peak_mb")


SMALL_EATER = """
import os
reserve = bytearray(8_000_000)
held = []
def eat():
    while True:
        held.append([object() for _ in range(1000)])
try:
    eat()
except MemoryError:
    del reserve
    os.write(1, b"out of memory")
os._exit(3)
"""


def test_small_objects_until_nothing_is_left(python, program, tmp_path):
    bare, profiled = both(python, program(SMALL_EATER), folder=tmp_path, preexec_fn=limit_memory(300))
    assert bare.status == 3 and bare.stdout == "out of memory"
    assert_same(bare, profiled)
    path, line = holder(profiled)
    assert (path.rsplit("/")[-1], line) == ("program.py", 7)
    assert of_line(profiled, "program.py", 7, "live_at_end_mb") >= 150


@pytest.mark.parametrize("size_mb", [40, 60, 80])
def test_a_limit_close_above_what_it_uses(python, program, tmp_path, size_mb):
    """Set by the program, above what it has by then, bare or profiled: half of that can be had, twice cannot."""
    text = "import resource\nlimit = %d << 20\n" \
        "used = 4096 * int(open('/proc/self/statm').read().split()[0])\n" \
        "resource.setrlimit(resource.RLIMIT_AS, (used + limit, used + limit))\n" \
        "print(len(bytearray(limit // 2)))\n" \
        "try:\n    bytearray(2 * limit)\nexcept MemoryError:\n    print('no')\n" % size_mb
    bare, profiled = both(python, program(text), folder=tmp_path)
    assert bare.stdout.endswith("no\n")
    assert_same(bare, profiled)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM])
def test_the_killed_tell_what_they_held(python, program, tmp_path, number):
    """As a program ends that the kernel kills for its memory."""
    text = EATER + "import os\nfor _ in range(20):\n    held.append(bytearray(10_000_000))\n" \
        "os.kill(os.getpid(), %d)\n" % number
    bare, profiled = both(python, program(text), folder=tmp_path)
    assert profiled.status == bare.status == -number
    assert 188 <= of_line(profiled, "program.py", KILLED_LINE, "live_at_end_mb") <= 194
    assert 188 <= of_line(profiled, "program.py", KILLED_LINE, "live_at_peak_mb") <= 194
