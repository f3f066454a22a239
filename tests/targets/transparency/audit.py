# SPDX-License-Identifier: Apache-2.0
"""A hook of the program's own sees what it sees bare, and no more."""
import sys

seen = []


def hook(event, arguments):
    if event != "compile":
        seen.append(event)


sys.addaudithook(hook)
id(seen)
open("/dev/null").close()
exec("1 + 1")
import os

os.listdir("/")
sys.settrace(None)
before = len(seen)
for i in range(200000):
    id(i)
print(seen[:before], len(seen) - before)
