# SPDX-License-Identifier: Apache-2.0
"""Runs a program bare and with a library preloaded: what it prints and how it ends must be equal."""

import difflib
import os
import subprocess

TIMEOUT_S = 600  # for what hangs: a crowded machine is no reason to fail


def run(command, preload=None):
    environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    if preload:
        environment["LD_PRELOAD"] = preload
    result = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, env=environment, timeout=TIMEOUT_S, check=False)
    lines = result.stdout.decode(errors="replace").splitlines()
    return lines + ["ended with %d" % result.returncode]


def compare(name, command, preload):
    """True if equal; else prints how they differ."""
    bare = run(command)
    hooked = run(command, preload)
    if len(bare) < 5:
        print("%s: printed almost nothing: %s" % (name, bare))
        return False
    if bare != hooked:
        print("%s differs:" % name)
        print("\n".join(difflib.unified_diff(bare, hooked, "bare", "hooked", lineterm="", n=1)))
    return bare == hooked
