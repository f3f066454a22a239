# SPDX-License-Identifier: Apache-2.0
"""Threads have the names that the program gave them, however their objects keep attributes."""

PROGRAM = """\
import concurrent.futures, threading, time


def work():
    end = time.thread_time() + 0.04
    while time.thread_time() < end:
        for i in range(1000): pass
    time.sleep(0)  # a call: what was not sampled yet, on a crowded machine, is so before the thread ends


class Late(threading.Thread):
    def __init__(self):
        self.first, self.second = "first", "second"
        self.third = None
        super().__init__(target=work, name="attributes before it")


class Slotted(threading.Thread):
    __slots__ = ("extra",)


def with_dictionary():
    thread = threading.Thread(target=work, name="a dictionary")
    vars(thread)["more"] = 1
    return thread


def with_many():
    thread = threading.Thread(target=work, name="many attributes")
    for i in range(50):
        setattr(thread, "attribute_%d" % i, i)
    return thread


threads = [threading.Thread(target=work), threading.Thread(target=work, name="ascii"),
           threading.Thread(target=work, name="na\\u00efve"), threading.Thread(target=work, name="\\u7ebf\\u7a0b \\U0001f40d"),
           threading.Thread(target=work, name="x" * 200), Late(), Slotted(target=work, name="slots"),
           with_dictionary(), with_many()]
for thread in threads:
    thread.start()
    thread.join()
with concurrent.futures.ThreadPoolExecutor(1, thread_name_prefix="pool") as pool:
    pool.submit(work).result()
"""

NAMES = ["MainThread", "ascii", "naïve", "线程 🐍", "x" * 60, "attributes before it", "slots", "a dictionary",
         "many attributes", "pool_0"]


def test_threads_have_their_names(python, profile, program):
    run = profile(python, program(PROGRAM))
    names = [thread["name"] for thread in run.profile["threads"]]
    assert [name for name in names if not name.startswith("Thread-1")] == NAMES
    assert sum(name.startswith("Thread-1") for name in names) == 1
