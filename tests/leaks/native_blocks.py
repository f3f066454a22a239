# leak: KEPT 4 MB/s
# SPDX-License-Identifier: Apache-2.0
"""Memory of the C library itself, of which one block in three is not given back."""

import ctypes

from pace import KB, steps

libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
libc.malloc.argtypes = [ctypes.c_size_t]
libc.free.argtypes = [ctypes.c_void_p]
for number in steps(96):
    block = libc.malloc(128 * KB - 64)  # KEPT
    ctypes.memset(block, 1, 128 * KB - 64)
    if number % 3:
        libc.free(block)
