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


def contend(_name, barrier):
    barrier.wait()
    delay, start_cpu, start = recording.run_delay(), recording.cpu(), recording.wall()
    spin(start + SECONDS)
    passed, used = recording.wall() - start, recording.cpu() - start_cpu
    told.append({"names": recording.thread_name(), "cpu_s": used, "wall_s": passed,
                 "ready_s": recording.run_delay() - delay})


def spin(end):
    while recording.wall() < end:
        for i in CHUNK: x = i * i  # noqa: E701
    return x


def run(function, arguments):
    threads = [threading.Thread(target=function, args=given, name=given[0]) for given in arguments]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def fight(count):
    told.clear()
    barrier = threading.Barrier(count)
    run(contend, [("fight %d of %d" % (i, count), barrier) for i in range(count)])
    return list(told)


run(compute, [("share %d" % part, part * SECONDS / 6) for part in (1, 2, 3)])
shares = list(told)
recording.tell(shares=shares, two=fight(2), four=fight(4), **recording.place(spin))
