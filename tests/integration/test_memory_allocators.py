# SPDX-License-Identifier: Apache-2.0
"""Whatever allocates for the program goes on to do so, and is profiled all the same."""

import pytest
from memory import HELD, LARGE_LINE, SMALL_LINE, allocator, assert_seen, of_line
from transparency import run_same

ENVIRONMENTS = {
    "nothing": {},
    "debug": {"PYTHONMALLOC": "debug"},
    "malloc": {"PYTHONMALLOC": "malloc"},
    "malloc_debug": {"PYTHONMALLOC": "malloc_debug"},
    "pymalloc_debug": {"PYTHONMALLOC": "pymalloc_debug"},
    "developer": {"PYTHONDEVMODE": "1"},
    "tracemalloc": {"PYTHONTRACEMALLOC": "1"},
    "perturbed": {"MALLOC_PERTURB_": "165", "MALLOC_CHECK_": "3"},
    "many arenas": {"MALLOC_ARENA_MAX": "64", "MALLOC_MMAP_THRESHOLD_": "4096"},
}


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_every_setting_of_python_is_profiled(python, program, tmp_path, monkeypatch, name):
    for variable, value in ENVIRONMENTS[name].items():
        monkeypatch.setenv(variable, value)
    run = run_same(python, program(HELD), folder=tmp_path)
    # The tables of tracemalloc are the program's memory too, and grow where it allocates.
    limit = {"small_mb": (20, 120)} if name == "tracemalloc" else {}
    assert_seen(run, "program.py", **limit)


STOPPED = "import tracemalloc\ntracemalloc.start()\nx = [str(i) for i in range(10_000)]\ntracemalloc.stop()\n"


@pytest.mark.parametrize("variable", ["0", "1", "5"])
def test_tracemalloc_may_come_and_go(python, program, tmp_path, monkeypatch, variable):
    """Its stop puts back the allocators that it found, and throws out who came after it."""
    monkeypatch.setenv("PYTHONTRACEMALLOC", variable)
    run = run_same(python, program(STOPPED + HELD.lstrip("\n")), folder=tmp_path)
    shift = STOPPED.count("\n") - 1
    # In the first moments after the stop, small objects may pass unseen.
    assert 10 <= of_line(run, "program.py", SMALL_LINE + shift) <= 40
    assert abs(of_line(run, "program.py", LARGE_LINE + shift) - 50) <= 1


PRELOADED = ["libjemalloc", "libmimalloc", "libtcmalloc_minimal"]
ROUNDED_MB = 49, 57  # their own sizes: 50 MB may be a block of 56
ARENAS_MB = 2.0
OTHER_SIZES = 0.05  # a fifth at most, of a list of 2.4 MB and of 2 to 6 MB, beside 20 of small objects


@pytest.mark.parametrize("name", PRELOADED)
def test_a_preloaded_allocator_stays_the_programs(python, program, profile, tmp_path, monkeypatch, name):
    plain = profile(python, program(HELD))
    monkeypatch.setenv("LD_PRELOAD", allocator(name))
    run = run_same(python, program(HELD), folder=tmp_path)
    assert_seen(run, "program.py", large_mb=ROUNDED_MB)
    # What the allocator maps for itself is counted once, as what it hands out. The block apart, the peak is that of any
    # other run, but for an arena at either end and what the sizes of the list and of what Python starts with become.
    peak, usual = (run.profile["max_footprint_mb"] - of_line(run, "program.py", LARGE_LINE) for run in (run, plain))
    assert abs(peak - usual) <= ARENAS_MB + OTHER_SIZES * usual


@pytest.mark.parametrize("name", PRELOADED)
def test_python_on_a_preloaded_allocator_alone(python, program, tmp_path, monkeypatch, name):
    monkeypatch.setenv("LD_PRELOAD", allocator(name))
    monkeypatch.setenv("PYTHONMALLOC", "malloc")
    assert_seen(run_same(python, program(HELD), folder=tmp_path), "program.py", large_mb=ROUNDED_MB)


NATIVE = """
import ctypes, os
libc = ctypes.CDLL(None)
for name in ("malloc", "calloc", "realloc", "memalign", "aligned_alloc", "valloc", "pvalloc", "reallocarray"):
    getattr(libc, name).restype = ctypes.c_void_p
size, free = ctypes.c_size_t, libc.free
free.argtypes = [ctypes.c_void_p]
def check(pointer, length, alignment=16):
    assert pointer and pointer % alignment == 0, (pointer, alignment)
    ctypes.memset(pointer, 7, length)
    return pointer
for length in (1, 16, 24, 100, 4000, 70_000, 200_000, 5_000_000):
    n = size(length)
    free(check(libc.malloc(n), length, 8))
    p = libc.calloc(size(3), n)
    assert not any(ctypes.string_at(p, 3 * length))
    p = check(libc.realloc(ctypes.c_void_p(p), size(5 * length)), 5 * length, 8)
    p = libc.realloc(ctypes.c_void_p(p), size(7 * length))
    assert ctypes.string_at(p, 5 * length) == b"\\7" * (5 * length)
    p = libc.reallocarray(ctypes.c_void_p(p), size(2), n)
    assert ctypes.string_at(p, 2 * length) == b"\\7" * (2 * length)
    free(p)
    for alignment in (16, 64, 4096, 1 << 20):
        a = size(alignment)
        free(check(libc.memalign(a, n), length, alignment))
        free(check(libc.aligned_alloc(a, size(-(-length // alignment) * alignment)), length, alignment))
        out = ctypes.c_void_p()
        assert libc.posix_memalign(ctypes.byref(out), a, n) == 0
        free(check(out.value, length, alignment))
    free(check(libc.valloc(n), length, 4096))
    if "jemalloc" not in os.environ.get("LD_PRELOAD", ""):  # it has none, and cannot free glibc's
        free(check(libc.pvalloc(n), length, 4096))
    out = ctypes.c_void_p(1234)
    assert libc.posix_memalign(ctypes.byref(out), size(3), n) == 22 and out.value == 1234
libc = ctypes.CDLL(None, use_errno=True)
libc.malloc.restype = libc.reallocarray.restype = libc.calloc.restype = ctypes.c_void_p
for call in (lambda: libc.malloc(size(1 << 62)), lambda: libc.calloc(size(1 << 40), size(1 << 40)),
             lambda: libc.reallocarray(None, size(1 << 40), size(1 << 40))):
    ctypes.set_errno(0)
    print(call(), ctypes.get_errno())
ctypes.set_errno(77)
libc.free.argtypes = [ctypes.c_void_p]
libc.free(ctypes.c_void_p(libc.malloc(size(100))))
libc.free(None)
print(ctypes.get_errno())
"""


@pytest.mark.parametrize("name", ["", *PRELOADED])
def test_the_whole_family_of_malloc_keeps_its_contract(python, program, tmp_path, monkeypatch, name):
    if name:
        monkeypatch.setenv("LD_PRELOAD", allocator(name))
    run = run_same(python, program(NATIVE), folder=tmp_path)
    assert run.status == 0, run.stderr
