# SPDX-License-Identifier: Apache-2.0
"""The truth tests run once on every interpreter found, one after the other: never two at a time."""

import truth


def pytest_generate_tests(metafunc):
    if "python" in metafunc.fixturenames:
        found = truth.profiling.pythons()
        metafunc.parametrize("python", found, ids=[python.id for python in found], scope="session")


def pytest_terminal_summary(terminalreporter):
    found = ", ".join(python.id for python in truth.profiling.pythons())
    terminalreporter.write_line("truth was measured on: %s" % (found or "no interpreter"))
    for name in truth.profiling.missing_pythons():
        terminalreporter.write_line("no truth was measured on Python %s: it was not found" % name)
