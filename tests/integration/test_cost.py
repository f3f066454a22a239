# SPDX-License-Identifier: Apache-2.0
"""What a program must not notice: time to start, memory, lost samples, and the cost that is told.

Ratios of run times need many pairs on a quiet machine: `make bench` has them.
"""

import dataclasses
import resource
import subprocess
import time

import pytest

ADDED_MEMORY_MB = 2
ADDED_START_S = 0.010  # on a machine, in a minute, in which ...
YARD_S = 0.0065  # ... the system's Python starts and ends in this time, alone
START_PAIRS = 25
LOST_SHARE = 0.001

MEMORY = """\
import time
table = [i for i in range(200_000)]
end = time.process_time() + 0.5
while time.process_time() < end:
    table.sort()
with open("/proc/self/status") as status:
    print(next(line.split()[1] for line in status if line.startswith("VmHWM:")))
"""

CROWD = """\
import threading, time


def work():
    end = time.thread_time() + 0.04
    while time.thread_time() < end:
        for i in range(1000): pass


threads = [threading.Thread(target=work) for _ in range(100)]
for thread in threads: thread.start()
for thread in threads: thread.join()
"""


def peak_mb(run):
    return int(run.stdout) / 1024


def test_memory_of_the_program_grows_by_less_than_two_megabytes(key_python, profile, bare, program):
    path = program(MEMORY)
    added = [peak_mb(profile(key_python, path, options=["--cpu-only"])) - peak_mb(bare(key_python, path)) for _ in range(3)]
    assert sorted(added)[1] < ADDED_MEMORY_MB


YARD = ["/usr/bin/python3", "-S", "-E", "-c", "pass"]


def wall_and_cpu_s(run, *arguments, **named):
    """Of a run with all its processes."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    run(*arguments, **named)
    wall_s, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall_s, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


@pytest.fixture(scope="module")
def clean_python(key_python, tmp_path_factory):
    """`key_python` in an environment of its own: what an installation imports at every start is not starting."""
    folder = tmp_path_factory.mktemp("clean")
    subprocess.run([key_python.path, "-m", "venv", "--without-pip", folder], check=True)
    return dataclasses.replace(key_python, path=str(folder / "bin" / "python3"))


@pytest.mark.parametrize("options", [["--cpu-only"], []], ids=["cpu", "all"])
def test_starting_takes_less_than_ten_milliseconds_more(clean_python, options, profile, bare, program):
    """The least of many, by the clock or, where other programs want the cores too, in CPU time."""
    path = program("pass\n")
    rounds = [(wall_and_cpu_s(subprocess.run, YARD), wall_and_cpu_s(bare, clean_python, path),
               wall_and_cpu_s(profile, clean_python, path, options=options)) for _ in range(START_PAIRS)]
    yard, without, with_it = (([min(seconds) for seconds in zip(*column)]) for column in zip(*rounds))
    slowness = max(1, yard[0] / YARD_S)
    added = [one - other for one, other in zip(with_it, without)]
    assert min(added) < ADDED_START_S * slowness, "%s ms, %.2f times slower" % (added, slowness)


def test_a_program_without_coroutines_has_no_table_of_them(python, profile, program):
    path = program("import os\nprint([name for name in os.listdir(os.environ['SCALENE_RUN_DIR']) if 'await' in name])\n")
    assert profile(python, path).stdout == "[]\n"


def test_a_hundred_busy_threads_lose_no_samples(key_python, profile, program):
    quality = profile(key_python, program(CROWD), options=["--cpu-only"]).profile["quality"]
    assert quality["cpu_samples"] > 300
    assert quality["cpu_samples_lost"] <= LOST_SHARE * quality["cpu_samples"]


def test_own_cost_is_told_and_small(python, profile, program):
    run = profile(python, program(MEMORY), options=["--cpu-only"])
    told = run.profile["quality"]["own_cpu_in_program_s"]
    assert 0 < told < 0.02 * run.profile["totals"]["cpu_s_kernel_says"]
