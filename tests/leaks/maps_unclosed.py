# leak: KEPT 5 MB/s
# SPDX-License-Identifier: Apache-2.0
"""Anonymous maps, written to, of which every other is closed."""

import mmap

from pace import KB, steps

PRIVATE = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
maps = []
for number in steps(40):
    region = mmap.mmap(-1, 256 * KB, flags=PRIVATE)  # KEPT
    region[:] = bytes(256 * KB)
    if number % 2:
        region.close()
    else:
        maps.append(region)  # HOLDS
