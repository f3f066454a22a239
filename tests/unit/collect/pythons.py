# SPDX-License-Identifier: Apache-2.0
"""The interpreters of this machine that the tests of this folder run on."""

import glob
import os
import re

PATTERNS = [
    "~/.pyenv/versions/3.*/bin/python3",
    "~/.cache/scalene/pythons/root/usr/bin/python3.*",
    "/usr/bin/python3.*",
    "/usr/local/bin/python3.*",
]


def every_python():
    """Paths, each interpreter once; SCALENE_TEST_PYTHONS (separated by colons) replaces the search."""
    asked = os.environ.get("SCALENE_TEST_PYTHONS")
    if asked:
        return asked.split(":")
    found = {}
    for pattern in PATTERNS:
        for path in sorted(glob.glob(os.path.expanduser(pattern))):
            is_supported = re.search(r"(?<![0-9])3\.(8|9|1[0-9])\b", path)
            is_interpreter = re.search(r"/python3(\.[0-9]+)?$", path)
            if is_supported and is_interpreter and os.access(path, os.X_OK):
                found.setdefault(os.path.realpath(path), path)
    return list(found.values())
