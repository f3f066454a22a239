# SPDX-License-Identifier: Apache-2.0
"""Where the `scalene` command of this package is.

Nothing but os and sys is imported at first: with `python -m` the current folder is searched before the
standard library, and a file there may have any name.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterator

PACKAGE = os.path.dirname(os.path.abspath(__file__))


def _places() -> Iterator[str]:
    """Folders that an installer may have put the command into, the likeliest first."""
    parent = os.path.dirname(PACKAGE)
    prefix = os.path.dirname(os.path.dirname(os.path.dirname(parent)))
    if os.path.basename(parent) == "python":  # the source tree
        yield os.path.join(os.path.dirname(parent), "build")
    yield os.path.join(prefix, "bin")  # this is prefix/lib/pythonX.Y/site-packages/scalene
    yield os.path.join(parent, "bin")  # pip install --target
    import sysconfig

    yield sysconfig.get_path("scripts")


def find() -> str:
    """The command's path. Ends the program with a message if it is gone."""
    for place in _places():
        path = os.path.join(place, "scalene")
        if os.access(path, os.X_OK) and not os.path.isdir(path):
            return path
    sys.exit(f"scalene: the scalene command that belongs to {PACKAGE} is missing; install scalene again")
