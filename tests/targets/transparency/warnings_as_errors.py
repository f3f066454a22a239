# SPDX-License-Identifier: Apache-2.0
"""Forks with and without threads: from 3.12 on, the interpreter warns where it sees a thread."""
import os
import threading
import time
import warnings


def fork(what):
    try:
        pid = os.fork()
    except DeprecationWarning as warning:
        print(what, "warned", str(warning).split("(")[0])
        return
    if pid == 0:
        os._exit(7)
    print(what, os.WEXITSTATUS(os.waitpid(pid, 0)[1]))


fork("alone")
stop = threading.Event()
thread = threading.Thread(target=stop.wait)
thread.start()
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    fork("beside a thread")
    print([entry.category.__name__ for entry in seen])
stop.set()
thread.join()
while len(os.listdir("/proc/self/task")) > 1:  # joined, and yet on its way out: it would be warned of
    time.sleep(0.001)
fork("alone again")
