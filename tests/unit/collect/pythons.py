# SPDX-License-Identifier: Apache-2.0
"""The interpreters that the tests of this folder run on: those of tools/find-pythons."""

import json
import pathlib
import subprocess

FIND = pathlib.Path(__file__).resolve().parents[3] / "tools" / "find-pythons"


def every_python():
    """Their paths."""
    return [found["path"] for found in json.loads(subprocess.check_output([FIND, "--json"]))["found"]]
