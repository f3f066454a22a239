# SPDX-License-Identifier: Apache-2.0
"""What the profile says, against what the program knows of itself. docs/accuracy.md has the method."""

import functools

import blas
import bursts
import copies
import crossings
import footprint
import kinds
import lines
import sums
import threads
import truth


@functools.lru_cache(maxsize=None)
def measured(area, python):
    return area.measure(python)


def check(figures):
    bad = truth.wrong(figures)
    assert not bad, "\n" + "\n".join(map(str, bad))


def check_all_pythons_together(area):
    """What one interpreter's samples are too few to show, those of all may."""
    pythons = truth.profiling.pythons()
    assert pythons, "no interpreter to measure"
    check(truth.pooled([measured(area, python) for python in pythons]))


def test_time_is_of_the_right_kind(python):
    check(measured(kinds, python))


def test_time_is_on_the_right_line(python):
    check(measured(lines, python))


def test_time_is_on_the_right_line_beside_threads_of_a_library():
    check(measured(blas, truth.profiling.key_pythons()[-1]))


def test_threads_have_the_time_that_their_clocks_show(python):
    check(measured(threads, python))


def test_short_bursts_and_short_lives_are_seen(python):
    check(measured(bursts, python))


def test_the_sum_is_what_the_kernel_charged(python):
    check(measured(sums, python))


def test_the_footprint_is_what_the_program_holds(python):
    check(measured(footprint, python))


def test_copies_are_as_many_as_were_made(python):
    check(measured(copies, python))


def test_memory_of_threads_and_children_is_seen(python):
    check(measured(crossings, python))


def test_kinds_are_right_over_all_pythons():
    check_all_pythons_together(kinds)


def test_lines_are_right_over_all_pythons():
    check_all_pythons_together(lines)


def test_bursts_are_right_over_all_pythons():
    check_all_pythons_together(bursts)
