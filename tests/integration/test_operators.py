# SPDX-License-Identifier: Apache-2.0
"""Real JAX and PyTorch on the processor: operators named on native stacks and on their lines, the trace that JAX writes,
and what is set for it. PyTorch is asked for where it is installed, as `make soak` sees to."""

import json
import math

import profiling
import pytest
from profiling import lines

# Until the process has computed for so long, however long that takes. What is compiled runs on threads of JAX's own.
PROGRAM = """import sys, time
import jax
import jax.numpy as jnp

@jax.jit
def step(a):
    return jnp.tanh(a @ a) + jnp.sort(a, axis=0)

def train(seconds):
    a = jnp.ones((300, 300))
    until = time.process_time() + seconds
    while time.process_time() < until:
        a = step(a).block_until_ready()

print(jax.config.jax_disable_jit)
if len(sys.argv) < 2:
    train(0)
    with jax.profiler.trace("logs"):
        train(0.1)
    train(1.5)
"""
SHOWN = ("xla::", "tsl::", "ynn::", "slinky::", "Eigen::")


@pytest.fixture(scope="module")
def jax():
    # Which of the key interpreters have one to be had is for the package's index to say.
    for python in reversed(profiling.key_pythons()):
        found = profiling.with_packages(python, "jax")
        if found:
            return found
    pytest.skip("jax cannot be had")


@pytest.fixture(scope="module")
def torch():
    for python in reversed(profiling.pythons()):
        if profiling.bare(python, "-c", "import torch").status == 0:
            return python
    pytest.skip("torch is not installed")


# The thread that calls an operator computes meanwhile, or waits for threads of the library's: both are its line's. The
# kernel tells how long it stood ready without a core, which is neither, unless it was in the waiting call; and what the
# host of a virtual machine took from all of its cores.
ON_LINES = """import json, os, time
%(head)s
spent = {}; HZ = os.sysconf("SC_CLK_TCK")

def now():
    with open("/proc/thread-self/schedstat") as own, open("/proc/stat") as all:
        return time.perf_counter(), int(own.read().split()[1]) / 1e9 + int(all.readline().split()[8]) / HZ, time.thread_time()

def add(line, since):
    spent[line] = [sum(pair) for pair in zip(spent.get(line, (0, 0, 0)), (b - a for a, b in zip(since, now())))]

def train(seconds):
    until = time.process_time() + seconds
    while time.process_time() < until:
        since = now()
        b = %(product)s
        add(16, since)
        since = now()
        c = %(ordered)s
        add(19, since)

train(3)
print(json.dumps(spent))
"""
LINES_OF_JAX = {
    "head": "import jax, jax.numpy as jnp; a = jnp.ones((800, 800)); matmul = jax.jit(jnp.matmul); sort = jax.jit(jnp.sort)",
    "product": "matmul(a, a).block_until_ready()",
    "ordered": "sort(b).block_until_ready()",
}
LINES_OF_TORCH = {
    "head": "import torch; a = torch.ones(800, 800)",
    "product": "torch.mm(a, a)",
    "ordered": "torch.sort(b, 0)",
}
PERIOD_S = 0.01
Z = 6  # as tests/accuracy/truth.py has it: a right figure is called wrong twice in 10^9


def check_lines(run):
    assert run.status == 0, run.stderr
    found = lines(run.profile, "program.py")
    for number, (wall_s, ready_s, cpu_s) in json.loads(run.stdout).items():
        line = found[int(number)]
        seconds = sum(line["cpu_%s_s" % kind] for kind in ("python", "native", "system")) + sum(line["wait_s"].values())
        chance = Z * math.sqrt(cpu_s * PERIOD_S) + Z * Z / 6 * PERIOD_S
        assert wall_s - ready_s - chance <= seconds <= wall_s + chance, (number, seconds, wall_s, ready_s, cpu_s)


def lines_of(run, operator):
    """The lines of the program that called it, by the stacks."""
    found = set()
    for frames, _ in run.profile["combined_stacks"]:
        if any(frame["display_name"] == operator for frame in frames):
            found |= {frame["line"] for frame in frames if frame["filename_or_module"].endswith("program.py")}
    return found


def test_each_operator_of_jax_is_on_its_line(jax, program, profile):
    check_lines(profile(jax, program(ON_LINES % LINES_OF_JAX), options=["--cpu-only"]))


def test_each_operator_of_torch_is_on_its_line(torch, program, profile):
    run = profile(torch, program(ON_LINES % LINES_OF_TORCH), options=["--cpu-only"])
    check_lines(run)
    assert 16 in lines_of(run, "at::mm") and 19 not in lines_of(run, "at::mm")
    assert 19 in lines_of(run, "at::sort") and 16 not in lines_of(run, "at::sort")


def test_operators_of_jax(jax, program, profile):
    run = profile(jax, program(PROGRAM), options=["--trace", "logs", "--cpu-only"])
    assert run.status == 0 and run.stdout == "False\n", run.stderr
    stacks = run.profile["combined_stacks"]
    names = {frame["display_name"] for frames, _ in stacks for frame in frames}
    operators = {name for name in names if name.startswith(SHOWN)}
    assert operators and not [name for name in operators if set("<>(){}") & set(name)], operators
    assert not [name for name in names if name.startswith(("std::", "_Z")) and "xla" in name]
    # Steps of calling are left out, and calls within one operator are one; with others in between it is called anew.
    for frames, _ in stacks:
        called = [frame["display_name"] for frame in frames]
        for caller, callee in zip(called, called[1:]):
            assert not callee.startswith(SHOWN) or callee != caller, called
            assert not caller.startswith(SHOWN) or callee != "std::invoke", called
    traced = {one["name"]: one for one in run.profile["trace_operators"]}
    assert traced["PjitFunction(step)"]["filename"].endswith("program.py") and traced["PjitFunction(step)"]["lineno"] == 9
    assert [name for name in traced if name.startswith("sort")] and not [name for name in traced if "$" in name]
    assert 2 in lines(run.profile, "program.py")  # the import, on its line


def test_jit_is_disabled_as_asked(jax, program, profile):
    run = profile(jax, program(PROGRAM), "no", options=["--disable-jit", "--cpu-only"])
    assert run.status == 0 and run.stdout == "True\n", run.stderr
