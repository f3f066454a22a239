# SPDX-License-Identifier: Apache-2.0
"""`python -m scalene ...` is the `scalene` command, with this Python as the one that is profiled."""

from __future__ import annotations

import os
import sys

from scalene._command import find


def arguments(words: list[str], interpreter: str) -> list[str]:
    """The command's words. A `--python` among them wins, as the last one counts."""
    if words[:1] == ["run"] and interpreter:
        return ["run", "--python", interpreter, *words[1:]]
    return words


def main() -> None:
    command = find()
    os.execv(command, ["scalene", *arguments(sys.argv[1:], sys.executable)])


if __name__ == "__main__":
    main()
