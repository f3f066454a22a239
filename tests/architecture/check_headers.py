# SPDX-License-Identifier: Apache-2.0
"""Each header compiles alone: it includes what its own declarations need."""

import os
import subprocess

import checking

COMMAND = [os.environ.get("CC", "cc"), "-fsyntax-only", "-x", "c", "-std=gnu17", "-D_GNU_SOURCE", "-Isrc",
           "-Wall", "-Wextra", "-Werror", "-Wno-pragma-once-outside-header"]

problems = []
for header in checking.files("src/*.h"):
    # Included from an empty file, since some warnings hold for the main file only.
    result = subprocess.run(COMMAND + ["-"], cwd=checking.ROOT, text=True, capture_output=True,
                            input='#include "%s"\n' % header[len("src/"):])
    if result.returncode:
        problems.append("%s does not compile alone:\n%s" % (header, result.stderr))
checking.end("headers", problems)
