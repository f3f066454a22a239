# SPDX-License-Identifier: Apache-2.0
"""Much output in both streams, work at the end, objects that die last, and a status of its own."""
import atexit
import os
import sys
import threading


class Last:
    def __del__(self):
        os.write(2, b"the last object dies\n")


def at_end():
    print("at the end", file=sys.stderr)
    total = 0
    for i in range(300000):
        total += i
    print(total)


kept = Last()
cycle = [Last()]
cycle.append(cycle)
atexit.register(at_end)
sys.stdout.buffer.write(bytes(range(256)).replace(b"\r", b"").decode("latin-1").encode() * 2000)
sys.stdout.flush()
for i in range(2000):
    print("line", i, file=sys.stderr)
thread = threading.Thread(target=lambda: 1 / 0)
thread.start()
thread.join()
sys.exit(3)
