# SPDX-License-Identifier: Apache-2.0
"""usage: moments.py LIBRARY THREADS: moments.c inside an interpreter."""

import ctypes
import sys

library = ctypes.CDLL(sys.argv[1])
print("early", library.early())
print("in_handler", library.in_handler())
print("interrupted", library.interrupted())
print("in_vfork_child", library.in_vfork_child())
print("by_loader", library.by_loader(int(sys.argv[2]) // 4))
print("at_thread_end", library.at_thread_end(int(sys.argv[2])))
