# SPDX-License-Identifier: Apache-2.0
"""What a library does is counted at the program's line that called it."""

import pytest
from profiling import lines

THING = """
class Thing:
    def __init__(self, count):
        self.total = sum(i * i for i in range(count))
        self.kept = [bytes(1000) for _ in range(10)]


def make(count):
    return [Thing(2000) for _ in range(count)]
"""
# The interpreter calls a constructor that it has seen often without leaving its loop, through a frame of its own.
PROGRAM = """import sys, time
sys.path.insert(0, "site-packages")
import thing; begin_s = time.thread_time()
things = thing.make(8000)
print(time.thread_time() - begin_s)
"""
CHANCE_S = 0.1  # a sample stands for 10 ms: one or two may be on the wrong side of either end


@pytest.mark.parametrize("options", [[], ["--profile-all"]], ids=["own", "all"])
def test_a_constructor_belongs_to_who_called_it(python, program, profile, options):
    program(THING, "site-packages/thing.py")
    run = profile(python, program(PROGRAM), options=options)
    assert not [path for path in run.profile["files"] if path.endswith("/__init__")]
    stacks = run.profile["combined_stacks"] + run.profile["memory_stacks"]
    files = {frame["filename_or_module"] for frames, _ in stacks for frame in frames}
    assert files and not [path for path in files if path.endswith("__init__")]
    if not options:
        line = lines(run.profile, "program.py")[4]
        cpu_s = sum(line["cpu_%s_s" % kind] for kind in ("python", "native", "system"))
        assert abs(cpu_s - float(run.stdout)) <= CHANCE_S < float(run.stdout) / 2
        # 8,000 times ten blocks of a thousand bytes and more.
        assert line["n_peak_mb"] > 70
