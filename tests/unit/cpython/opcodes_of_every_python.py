#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the agent's classes of opcodes with the names that each interpreter gives them."""

import json
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "collect"))
from pythons import every_python  # noqa: E402

NAMES = """
import json, opcode, sys
names = dict(opcode.opmap)
if sys.version_info >= (3, 13):
    import _opcode_metadata
    names.update(_opcode_metadata._specialized_opmap)
elif sys.version_info >= (3, 11):
    import dis
    names.update(dis._all_opmap)
print(json.dumps([sys.version_info[1], names]))
"""
UNKNOWN, OTHER, CALL, C_CALL = range(4)
CALLS = re.compile(r"^(INSTRUMENTED_)?(PRECALL|CALL|FOR_ITER|GET_ITER|GET_YIELD_FROM_ITER)(_|$)")
NO_CALLS = re.compile(r"INTRINSIC|CALL_FINALLY")
C_CALLS = re.compile(r"BUILTIN_CLASS|BUILTIN_FAST|BUILTIN_O|METHOD_DESCRIPTOR|NON_PY")


def expected(name):
    if not CALLS.search(name) or NO_CALLS.search(name):
        return OTHER
    return C_CALL if C_CALLS.search(name) else CALL


def main(checker):
    wrong = 0
    for python in every_python():
        minor, names = json.loads(subprocess.check_output([python, "-I", "-c", NAMES]))
        answer = subprocess.check_output([checker, str(minor)], text=True)
        classes = [int(line) for line in answer.split()]
        for name, number in names.items():
            if number < 256 and classes[number] != expected(name):
                print(f"{python}: {number} {name} is {classes[number]}, not {expected(name)}")
                wrong += 1
    print(f"{wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
