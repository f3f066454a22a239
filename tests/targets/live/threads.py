"""threads.py OUT: one thread begins, another ends, while a third goes on that blocks all signals."""

import json
import signal
import sys
import threading
import time

from scalene import _live

OUT = sys.argv[1]
is_on, is_done, is_over = (threading.Event() for _ in range(3))
used = {}


def deaf(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        for _ in range(3000):
            pass


def never_hears():
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    is_on.wait()
    time.sleep(0.01)
    begun = time.thread_time()
    deaf(0.3)
    used["deaf"] = time.thread_time() - begun
    is_done.set()
    is_over.wait()
    used["blocked"] = len(signal.pthread_sigmask(signal.SIG_BLOCK, [])) >= 60


def begin():
    _live.start([], OUT)
    is_on.set()


def end():
    _live.stop()
    is_over.set()


third = threading.Thread(target=never_hears)
third.start()
for step in (begin, is_done.wait, end):
    thread = threading.Thread(target=step)
    thread.start()
    thread.join()
third.join()
print(json.dumps(used))
