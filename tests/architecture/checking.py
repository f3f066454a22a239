# SPDX-License-Identifier: Apache-2.0
"""What the checks of this folder share: the files of the tree, and how a check ends."""

import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("SCALENE_BUILD", os.path.join(ROOT, "build"))


def files(*patterns):
    """Paths below the root, of what is tracked or would be."""
    command = ["git", "ls-files", "-co", "--exclude-standard", "--", *patterns]
    names = subprocess.check_output(command, cwd=ROOT, text=True).splitlines()
    return sorted(name for name in set(names) if os.path.isfile(os.path.join(ROOT, name)))


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8", errors="replace") as file:
        return file.read()


def numbered_lines(path):
    return enumerate(read(path).splitlines(), 1)


def end(what, problems):
    """Says each problem on a line of its own and ends with the status that make understands."""
    for problem in problems:
        print(problem, file=sys.stderr)
    print("%s: %s" % (what, "%d problems" % len(problems) if problems else "as it should be"))
    sys.exit(1 if problems else 0)
