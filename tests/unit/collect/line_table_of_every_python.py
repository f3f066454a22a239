#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lets every interpreter found dump its line tables and has line_table_check compare them."""

import os
import subprocess
import sys

from pythons import every_python

DUMP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "line_table_dump.py")


def check(python, checker):
    dump = subprocess.Popen([python, "-W", "ignore", DUMP], stdout=subprocess.PIPE)
    result = subprocess.run([checker], stdin=dump.stdout, stdout=subprocess.PIPE, text=True)
    dump.stdout.close()
    print(f"{python}: {result.stdout.strip()}", flush=True)
    return dump.wait() == 0 and result.returncode == 0


def main():
    pythons = every_python()
    failed = [python for python in pythons if not check(python, sys.argv[1])]
    print(f"{len(pythons) - len(failed)} interpreters right, {len(failed)} wrong")
    return 1 if failed or not pythons else 0


sys.exit(main())
