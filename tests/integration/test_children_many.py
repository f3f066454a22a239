# SPDX-License-Identifier: Apache-2.0
"""Many processes, one after the other and at once: nothing is left, and nothing gets slower."""

import os

import profiling

# What a piece costs is told in pieces of other work for the kernel, done before and after: others on the machine slow down
# both.
ONE_AFTER_THE_OTHER = """
import mmap, os, resource, sys, time
def one():
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)
def fill_pages():
    with mmap.mmap(-1, 1 << 22) as area:
        area[::mmap.PAGESIZE] = b"x" * (len(area) // mmap.PAGESIZE)
def used():
    accounts = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return sum(account.ru_utime + account.ru_stime for account in accounts)
def cost(function, count):
    start = used()
    for _ in range(count):
        function()
    return used() - start
def relative_cost():
    before, some, after = cost(fill_pages, 15), cost(one, 100), cost(fill_pages, 15)
    return some / (before + after)
costs = [relative_cost() for _ in range(10)]
collector = os.getppid()
end = time.monotonic() + 60
while len(os.listdir(os.environ["SCALENE_RUN_DIR"])) > 8 and time.monotonic() < end:
    time.sleep(0.05)  # rings of the ended go when the collector next looks, and it may have to wait for a core
with open("/proc/%d/status" % collector) as status:
    memory = [int(line.split()[1]) for line in status if line.startswith("VmRSS")][0]
print(len(os.listdir("/proc/%d/fd" % collector)), memory, len(os.listdir(os.environ["SCALENE_RUN_DIR"])))
print(*costs)
"""

AT_ONCE = """
import os, sys, time
count, seconds = int(sys.argv[1]), float(sys.argv[2])
ready, go = os.pipe()
pids = []
for _ in range(count):
    pid = os.fork()
    if pid == 0:
        os.close(go)
        os.read(ready, 1)  # until all are there
        while time.process_time() < seconds:
            sum(range(1000))
        os._exit(0)
    pids.append(pid)
os.close(go)
for pid in pids:
    os.waitpid(pid, 0)
print(os.environ["SCALENE_RUN_DIR"])
"""


def test_a_thousand_children_one_after_the_other(profile, program):
    python = profiling.key_pythons()[-1]
    run = profile(python, program(ONE_AFTER_THE_OTHER))
    first, costs = run.stdout.splitlines()
    descriptors, memory_kb, files = map(int, first.split())
    costs = [float(cost) for cost in costs.split()]
    assert run.status == 0
    assert len(run.profile["processes"]) == 1001
    assert descriptors < 64 and files <= 8
    assert memory_kb < 200 * 1024
    # The least: others on the machine only add. The last half costs what the first does.
    assert min(costs[5:]) < 2 * min(costs[:5])


def test_two_hundred_children_at_once(profile, program):
    python = profiling.key_pythons()[-1]
    run = profile(python, program(AT_ONCE), 200, 0.05)
    children = sorted(run.profile["processes"], key=lambda process: process["start_s"])[1:]
    assert run.status == 0
    assert len(children) == 200
    assert all(process["profiled"] and 0.05 <= process["cpu_s"] < 0.2 for process in children)
    # Where 200 want a core, samples may come faster than they are read: then they lack their native stack, and it is said.
    assert profiling.complaints(run.profile) == []
    assert not os.path.exists(run.stdout.strip())
