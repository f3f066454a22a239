# SPDX-License-Identifier: Apache-2.0
"""No call of the program returns EINTR because of us."""

import os
import subprocess

import profiling
import pytest
from transparency import TARGETS, strip

# Of all interpreters together; `make soak` asks for a million.
CALLS = int(os.environ.get("SCALENE_CALLS", "200000"))
KINDS = 13


@pytest.fixture(scope="session")
def library(tmp_path_factory):
    path = tmp_path_factory.mktemp("library") / "blocking_calls.so"
    command = ["gcc", "-std=gnu17", "-D_GNU_SOURCE", "-O2", "-shared", "-fPIC", "-pthread", "-o", path, TARGETS / "blocking_calls.c"]
    subprocess.run([str(word) for word in command], check=True)
    return path


@pytest.mark.parametrize("interval", ["0.01", "0.001"])
def test_no_blocking_call_is_interrupted(python, interval, library, tmp_path):
    count = CALLS // (2 * len(profiling.pythons())) + 1
    run = profiling.profile(python, TARGETS / "blocking_calls.py", library, count, out=tmp_path / "profile.json",
                            options=["--cpu-sampling-rate", interval], timeout=1800)
    assert strip(run).stdout == "True %s\n" % ([0] * KINDS)
    assert run.profile["quality"]["cpu_samples"] >= 20
