#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Looks, in each interpreter, at the number by which the agent knows that garbage is being collected:
it must be 1 while a collection calls back, and 0 else."""

import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "collect"))
from pythons import every_python  # noqa: E402

LOOK = """
import ctypes, gc, subprocess, sys
runtime = ctypes.addressof(ctypes.c_char.in_dll(ctypes.pythonapi, "_PyRuntime"))
offset = int(subprocess.run([sys.argv[1], str(sys.hexversion)], input=ctypes.string_at(runtime, 4096),
                            stdout=subprocess.PIPE, check=True).stdout)
base = runtime
if sys.version_info >= (3, 9):  # before, it is the runtime's
    ctypes.pythonapi.PyInterpreterState_Get.restype = ctypes.c_void_p
    base = ctypes.pythonapi.PyInterpreterState_Get()
collecting = ctypes.c_int.from_address(base + offset)
seen = []
gc.disable()
gc.callbacks.append(lambda phase, information: seen.append(collecting.value))
before = collecting.value
gc.collect()
print("as it should be" if (before, seen, collecting.value) == (0, [1, 1], 0)
      else "%d before, %s meanwhile, %d after" % (before, seen, collecting.value))
"""


def main(checker):
    wrong = 0
    for python in every_python():
        answer = subprocess.check_output([python, "-I", "-c", LOOK, checker], text=True).strip()
        print(f"{python}: {answer}")
        wrong += answer != "as it should be"
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
