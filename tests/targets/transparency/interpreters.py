# SPDX-License-Identifier: Apache-2.0
"""Interpreters within the process, with work in each, also in threads and with garbage at the end."""
import sys
import threading

try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters

CODE = """
import sys, json
total = 0
for i in range(200000):
    total += i % 7
print(total, json.dumps([1]), sys.argv, len(sys.path) > 0, flush=True)
"""


def work():
    interpreter = interpreters.create()
    interpreters.run_string(interpreter, CODE)
    interpreters.destroy(interpreter)


for _ in range(3):
    work()
if sys.version_info >= (3, 12):
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
print(len(interpreters.list_all()))
