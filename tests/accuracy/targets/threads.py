# SPDX-License-Identifier: Apache-2.0
"""Threads that compute by their own clocks, and threads that fight for the GIL.

usage: threads.py SECONDS
"""

import threading

import recording

SECONDS = recording.option(1, 1.0)
CHUNK = range(2_000)
told = []


def compute(name, seconds):
    while recording.cpu() < seconds:
        for i in CHUNK: x = i * i  # noqa: E701
    told.append({"name": name, "names": recording.thread_name(), "cpu_s": recording.cpu()})
    return x


def contend(_name, barrier, spin):
    barrier.wait()
    told.append({"names": recording.thread_name(), **spin()})


def spin_of_two():
    delay, start_cpu, start = recording.run_delay(), recording.cpu(), recording.wall()
    while recording.wall() < start + SECONDS:
        for i in CHUNK: i * i  # noqa: E701
    return recording.since(delay, start_cpu, start)


def spin_of_four():
    delay, start_cpu, start = recording.run_delay(), recording.cpu(), recording.wall()
    while recording.wall() < start + SECONDS:
        for i in CHUNK: i * i  # noqa: E701
    return recording.since(delay, start_cpu, start)


def run(function, arguments):
    threads = [threading.Thread(target=function, args=given, name=given[0]) for given in arguments]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def fight(count, spin):
    """Lines of its own for each fight, so that only waits between the clocks' readings are compared."""
    told.clear()
    barrier = threading.Barrier(count)
    stolen = recording.stolen()
    run(contend, [("fight %d of %d" % (i, count), barrier, spin) for i in range(count)])
    return {"threads": list(told), "stolen_s": recording.stolen() - stolen, **recording.place(spin)}


run(compute, [("share %d" % part, part * SECONDS / 6) for part in (1, 2, 3)])
shares = list(told)
recording.tell(shares=shares, two=fight(2, spin_of_two), four=fight(4, spin_of_four))
