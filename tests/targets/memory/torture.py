# SPDX-License-Identifier: Apache-2.0
"""usage: torture.py LIBRARY THREADS ROUNDS: torture.c inside an interpreter."""

import ctypes
import sys

allocated = ctypes.c_ulong()
failures = ctypes.CDLL(sys.argv[1]).torture(int(sys.argv[2]), int(sys.argv[3]), ctypes.byref(allocated))
print("failures", failures, "allocated", allocated.value)
