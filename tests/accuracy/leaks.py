# SPDX-License-Identifier: Apache-2.0
"""Truth of leaks: what is called one in the programs of tests/leaks, those held out apart.

Which it is, every program says itself. The rate is told as MB/s off, the verdict as 0 or 1.
"""

import sys

import truth

sys.path.append(str(truth.HERE.parent / "leaks"))

import verdicts  # noqa: E402


def figures(verdict):
    program = verdict.program
    name = "%s%s" % ("held out: " if program.is_held_out else "", program.name)
    if program.line:
        yield truth.Figure("%s leaks" % name, float(verdict.is_found), 1, 0, 0, unit="")
    alarms = float("inf") if verdict.failure else len(verdict.false_alarms)
    yield truth.Figure("%s, false alarms" % name, alarms, 0, 0, 0, unit="")
    if verdict.is_found:
        rate = verdict.leaks[program.name, program.line]
        yield truth.Figure("%s, rate" % name, rate, program.rate_mb_s, verdicts.RATE_BAR * program.rate_mb_s,
                           verdict.chance_mb_s, unit="MB/s")


def measure(python, scale=1.0):
    return [figure for verdict in verdicts.judge_all(python, verdicts.programs()) for figure in figures(verdict)]
