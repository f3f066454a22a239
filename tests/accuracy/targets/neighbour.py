# SPDX-License-Identifier: Apache-2.0
"""A pure loop on one core, which a neighbour wants as well.

usage: neighbour.py SECONDS CORE
"""

import time

import recording

SECONDS = recording.option(1, 1.0)
CHUNK = range(10_000)


def loop():
    for i in CHUNK: x = i * i  # noqa: E701
    return x


CORE = recording.option(2, 0)
recording.pin(CORE)
stolen = recording.stolen(CORE)
before = {"at": time.time(), "worked_s": time.process_time() + recording.run_delay()}
row = recording.repeat(loop, SECONDS)
recording.tell(before=before, ready_s=recording.run_delay(), told_at=time.time(),
               stolen_s=recording.stolen(CORE) - stolen, **row)
