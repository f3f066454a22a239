# SPDX-License-Identifier: Apache-2.0
"""Maps and copies known amounts, and prints them as JSON."""

import json
import mmap

MB = 1 << 20
mapped = copied = 0


def map_and_resize():
    """Shared, private, grown, and given back."""
    global mapped
    shared = mmap.mmap(-1, 64 * MB)
    private = mmap.mmap(-1, 32 * MB, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    mapped += 96 * MB
    shared[: 64 * MB : 4096] = b"x" * (64 * MB // 4096)
    private.resize(48 * MB)
    mapped += 16 * MB
    private.close()
    shared.close()


def copy_large():
    """Each piece larger than what is sampled."""
    global copied
    block = bytearray(16 * MB)
    for _ in range(20):
        bytes(block)
    copied += 20 * 16 * MB


def copy_medium():
    """From a bytearray: of anything else a copy would be made first."""
    global copied
    block = bytearray(20_000)
    target = bytearray(20_000)
    for _ in range(20_000):
        target[:] = block
    copied += 20_000 * 20_000


def copy_small():
    global copied
    block = b"x" * 1000
    for _ in range(2_000):
        b"".join([block] * 100)
    copied += 2_000 * 100 * 1000


map_and_resize()
copy_large()
copy_medium()
copy_small()
print(json.dumps({"mapped": mapped, "copied": copied}))
