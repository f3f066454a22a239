# SPDX-License-Identifier: Apache-2.0
"""Truth that depends on who else wants the machine's cores: measured alone. Who is not on a core has waited for it,
which is no wait that the program knows of; and of a program that gets little of a core less memory is sampled."""

import allocations
import holdings
import leaks
import neighbour
import truth
import waits
from test_accuracy import check, measured


def test_waits_are_as_long_as_they_were(python):
    check(measured(waits, python))


def test_a_busy_neighbour_is_neither_idleness_nor_system_time(python):
    check(measured(neighbour, python))


def test_bytes_are_on_the_line_that_asked_for_them(python):
    check(measured(allocations, python))


def test_memory_is_with_the_line_that_holds_it(python):
    check(measured(holdings, python))


def test_leaks_are_told_from_what_only_grows():
    """On one interpreter: the verdict depends on how memory is used, not on whose it is."""
    check(measured(leaks, truth.profiling.pythons()[-1]))
