# SPDX-License-Identifier: Apache-2.0
"""Which systems an executable runs on, by what it asks of the loader."""

import os
import platform
import re
import subprocess

# What every system has that calls itself manylinux.
EVERYWHERE = {"libc.so.6", "libdl.so.2", "libm.so.6", "libpthread.so.0", "ld-linux-x86-64.so.2"}
OLDEST = (2, 17)  # below this no installer knows a tag of this form


def is_x86_64():
    return "true" if platform.machine() == "x86_64" else "false"


def readelf(option, path):
    environment = {**os.environ, "LC_ALL": "C"}
    return subprocess.check_output(["readelf", "-W", option, path], universal_newlines=True, env=environment)


def libraries(path):
    return set(re.findall(r"\(NEEDED\).*\[(.*)\]", readelf("-d", path)))


def glibc_version(path):
    """The newest version of the C library that it has a symbol of."""
    found = re.findall(r"\bGLIBC_(\d+)\.(\d+)", readelf("-V", path))
    return max(((int(major), int(minor)) for major, minor in found), default=OLDEST)


def platform_tag(paths):
    if any(libraries(path) - EVERYWHERE for path in paths):
        return "linux_%s" % platform.machine()
    newest = max([OLDEST, *map(glibc_version, paths)])
    return "manylinux_%d_%d_%s" % (*newest, platform.machine())
