# SPDX-License-Identifier: Apache-2.0
"""What is mapped and what is held are two things: reservations and files are not memory."""

import pytest
from memory import allocator, of_line
from transparency import run_same

RESERVE = """
import ctypes, mmap
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = libc.mremap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
libc.mremap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t, ctypes.c_int]
libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
PRIVATE, NORESERVE, WRITABLE = 0x22, 0x4000, 3
def reserve(size, prot=0, flags=PRIVATE | NORESERVE):
    start = libc.mmap(None, size, prot, flags, -1, 0)
    assert start and start != 2**64 - 1
    return start
"""


SPARSE_MB = 10 << 10
OTHER_FILES_MB = 60  # that an interpreter may map as it starts, such as its locales


def peak(python, program, folder, text):
    run = run_same(python, program(RESERVE + text), folder=folder)
    assert run.status == 0, run.stderr
    return run.profile["max_footprint_mb"], run


@pytest.fixture(params=["", "libjemalloc", "libmimalloc"])
def any_allocator(request, monkeypatch):
    """The C library's, and those that map memory by the same calls as the program."""
    if request.param:
        monkeypatch.setenv("LD_PRELOAD", allocator(request.param))


@pytest.mark.usefixtures("any_allocator")
def test_a_terabyte_reserved_is_not_held(python, program, tmp_path):
    mb, _ = peak(python, program, tmp_path, "start = reserve(1 << 40)\nprint(libc.munmap(start, 1 << 40))\n")
    assert mb < 60


@pytest.mark.usefixtures("any_allocator")
def test_a_terabyte_that_is_writable_but_never_touched(python, program, tmp_path):
    mb, _ = peak(python, program, tmp_path, "reserve(1 << 40, WRITABLE)\n")
    assert mb < 60


def test_what_is_made_writable_of_it_is_held(python, program, tmp_path):
    text = "start = reserve(1 << 40)\nprint(libc.mprotect(start + (1 << 30), 80 << 20, WRITABLE))\n" \
        "ctypes.memset(start + (1 << 30), 1, 80 << 20)\nprint(libc.munmap(start, 1 << 40))\n"
    mb, _ = peak(python, program, tmp_path, text)
    assert 80 <= mb < 140


@pytest.mark.usefixtures("any_allocator")
def test_a_sparse_file_is_not_held(python, program, tmp_path):
    text = "file = open('sparse', 'w+b')\nfile.truncate(10 << 30)\n" \
        "m = mmap.mmap(file.fileno(), 10 << 30)\nm[5 << 30] = 1\nprint(m[5 << 30])\n" \
        "p = mmap.mmap(file.fileno(), 10 << 30, flags=mmap.MAP_PRIVATE, prot=3)\nprint(p[5 << 30])\n"
    mb, run = peak(python, program, tmp_path, text)
    assert mb < 60
    totals = run.profile["totals"]
    assert totals["shared_mb"] >= SPARSE_MB and totals["file_mapped_mb"] >= SPARSE_MB
    assert max(totals["shared_mb"], totals["file_mapped_mb"]) < SPARSE_MB + OTHER_FILES_MB


@pytest.mark.parametrize("flags", ["mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS", "mmap.MAP_SHARED | mmap.MAP_ANONYMOUS"])
def test_anonymous_memory_is_held_by_its_line(python, program, tmp_path, flags):
    text = "m = mmap.mmap(-1, 120 << 20, flags=%s)\nm[100] = 1\n" % flags
    mb, run = peak(python, program, tmp_path, text)
    assert 120 <= mb < 160
    line = RESERVE.count("\n") + 1
    assert abs(of_line(run, "program.py", line) - 120) <= 1
    assert abs(of_line(run, "program.py", line, "live_at_end_mb") - 120) <= 1


def test_parts_unmapped_moved_and_resized(python, program, tmp_path):
    """After every step the sum is what is left: at the end, next to nothing but the last 40 MB."""
    text = """
start = reserve(100 << 20, WRITABLE, PRIVATE)
assert libc.munmap(start + (20 << 20), 30 << 20) == 0
assert libc.munmap(start, 20 << 20) == 0
moved = libc.mremap(start + (50 << 20), 50 << 20, 200 << 20, 1)
assert moved and moved != 2**64 - 1
moved = libc.mremap(moved, 200 << 20, 30 << 20, 1)
again = libc.mmap(moved, 30 << 20, WRITABLE, PRIVATE | 0x10, -1, 0)
assert again == moved
assert libc.munmap(moved, 30 << 20) == 0
kept = reserve(40 << 20, WRITABLE, PRIVATE)
block = bytearray(30 << 20)
import time
time.sleep(0.3)
"""
    mb, run = peak(python, program, tmp_path, text)
    assert 200 <= mb < 240
    last = run.profile["samples"][-1][1]
    assert last <= 70 + 40


FORKED = """
m = mmap.mmap(-1, 60 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
block = bytearray(50 << 20)
import os
pid = os.fork()
if pid == 0:
    m.close()
    del block
    mine = bytearray(20 << 20)
    os._exit(0)
print(os.waitpid(pid, 0)[1])
"""


def test_a_child_that_gives_up_what_it_inherited(python, program, tmp_path):
    mb, run = peak(python, program, tmp_path, FORKED)
    line = RESERVE.count("\n") + 2
    assert abs(of_line(run, "program.py", line, "live_at_end_mb") - 60) <= 1
    assert abs(of_line(run, "program.py", line + 1, "live_at_end_mb") - 50) <= 1
    assert 110 <= mb < 170
    # What the child gave up is its parent's still, and does not hide what the child holds itself.
    child = run.profile["processes"][1]
    assert abs(child["peak_footprint_mb"] - 20) <= 1
