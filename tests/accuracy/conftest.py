# SPDX-License-Identifier: Apache-2.0
"""The truth tests run once on every interpreter found; those that take `key_python` on the oldest, 3.12 and
the newest. As many run at once as there are cores, but for those of test_alone.py."""

import pytest
import truth

# What looks at all interpreters together needs what was measured on each.
TOGETHER = {"test_kinds_are_right_over_all_pythons": "test_time_is_of_the_right_kind",
            "test_lines_are_right_over_all_pythons": "test_time_is_on_the_right_line",
            "test_bursts_are_right_over_all_pythons": "test_short_bursts_and_short_lives_are_seen"}


def pytest_collection_modifyitems(items):
    for item in items:
        name = item.originalname
        item.add_marker(pytest.mark.xdist_group(TOGETHER.get(name, name)))


def pytest_generate_tests(metafunc):
    for name, choose in {"python": truth.profiling.pythons, "key_python": truth.profiling.key_pythons}.items():
        if name in metafunc.fixturenames:
            found = choose()
            metafunc.parametrize(name, found, ids=[python.id for python in found], scope="session")


def pytest_terminal_summary(terminalreporter):
    found = ", ".join(python.id for python in truth.profiling.pythons())
    terminalreporter.write_line("truth was measured on: %s" % (found or "no interpreter"))
    for name in truth.profiling.missing_pythons():
        terminalreporter.write_line("no truth was measured on Python %s: it was not found" % name)
