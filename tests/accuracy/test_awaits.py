# SPDX-License-Identifier: Apache-2.0
"""What coroutines waited, against the program's own clocks: with asyncio, with other libraries, in threads."""

import concurrent.futures

import awaits
import pytest
import truth


def check(figures):
    bad = truth.wrong(figures)
    assert not bad, "\n" + "\n".join(map(str, bad))


def test_awaits_are_as_long_as_they_were(key_python):
    check(awaits.measure(key_python))


def test_awaits_in_an_interpreter_without_a_library_are_as_long_as_they_were(key_python, tmp_path):
    """Before 3.10 it matters: there is no slot, and what is called instead is found in another place."""
    if key_python.version >= (3, 10):
        pytest.skip("from 3.10 on it makes no difference")
    python = awaits.link_statically(key_python, tmp_path)
    if python is None:
        pytest.skip("%s came without what it is linked from" % key_python)
    check(awaits.measure(python))


def test_awaits_of_other_libraries_and_of_several_loops_are_as_long_as_they_were(key_python, tmp_path):
    """At the same time: they only wait, but for a moment of computing in one of them."""
    python = truth.profiling.with_packages(key_python, *truth.profiling.ASYNC_PACKAGES)
    if python is None:
        pytest.skip("uvloop, anyio, trio or Cython cannot be had for %s" % key_python)
    awaits.compile_module(python, tmp_path)
    ways = ["threads", "uvloop", "anyio", "trio", "compiled"]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for figures in pool.map(lambda way: awaits.measure(python, way=way, folder=tmp_path), ways):
            check(figures)
