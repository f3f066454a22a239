# SPDX-License-Identifier: Apache-2.0
"""The program's own memory with the profiler in it: hardly more than bare."""

import pytest
from transparency import both

TELL = """
with open("/proc/self/status") as status:
    print(next(line.split()[1] for line in status if line.startswith("VmHWM:")))
"""
PROGRAMS = {
    "nothing": "pass",
    "imports": "import asyncio, decimal, email.message, http.client, json, unittest, xml.dom.minidom",
    "small objects": "x = [(str(i), [i]) for i in range(1_000_000)]",
    "large blocks": "x = [bytearray(b'x') * 1_000_000 for _ in range(300)]",
    "churn": "for i in range(300): x = [bytes(100) for _ in range(5_000)]",
    "threads": "import threading\n"
               "gate = threading.Barrier(100)\n"
               "def work():\n    x = [bytes(1000) for _ in range(1000)]\n    gate.wait()\n"
               "threads = [threading.Thread(target=work) for _ in range(100)]\n"
               "for thread in threads: thread.start()\n"
               "for thread in threads: thread.join()",
}
FACTOR = 1.02
ADDED_KB = 4096


@pytest.mark.parametrize("name", PROGRAMS)
def test_peak_resident_memory(key_python, program, tmp_path, name):
    bare, profiled = both(key_python, program(PROGRAMS[name] + TELL), folder=tmp_path)
    limit = FACTOR * int(bare.stdout) + ADDED_KB
    assert int(profiled.stdout) <= limit, "%s kB bare, %s kB profiled" % (bare.stdout.strip(), profiled.stdout.strip())
