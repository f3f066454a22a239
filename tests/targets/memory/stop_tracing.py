# SPDX-License-Identifier: Apache-2.0
"""To be run with PYTHONTRACEMALLOC: the allocators of before it come back, without the agent's."""

import os
import tracemalloc


def before():
    return [bytes(47) for _ in range(200000)]


def after():
    return [bytes(47) for _ in range(200000)]


held = before()
tracemalloc.stop()
del held
several = [after() for _ in range(3)]
print("still here", flush=True)
os._exit(0)
