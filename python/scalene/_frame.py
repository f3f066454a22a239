# SPDX-License-Identifier: Apache-2.0
"""A profile as it is seen below a notebook's cell: the page, in a frame of its own; the table, where there are none."""

from __future__ import annotations

import html
import os
import subprocess
import tempfile
from typing import Dict, Optional

from scalene import _command

# The page may run its own scripts and save what it shows, but not reach into the notebook.
FRAME = (
    '<iframe sandbox="allow-scripts allow-downloads allow-popups" title="Scalene" srcdoc="{page}" '
    'style="width: 100%; height: 600px; border: 1px solid #8888; resize: vertical; overflow: auto"></iframe>'
)


def _view(*words: str) -> Optional[bytes]:
    """What `scalene view` prints; None if it cannot show the profile."""
    result = subprocess.run([_command.find(), "view", *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=False)
    return None if result.returncode else result.stdout


def _page(path: str) -> Optional[str]:
    with tempfile.TemporaryDirectory(prefix="scalene-page-") as folder:
        page = os.path.join(folder, "page.html")
        if _view("--standalone", "-o", page, path) is None:
            return None
        with open(page, encoding="utf-8") as file:
            return file.read()


def bundle(path: str) -> Dict[str, str]:
    """A saved profile by MIME type, for IPython's `display`: the notebook shows the richest that it can."""
    shown = {"text/plain": (_view("--cli", path) or b"").decode("utf-8", "replace")}
    page = _page(path)
    if page is not None:
        shown["text/html"] = FRAME.format(page=html.escape(page))
    return shown
