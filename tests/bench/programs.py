# SPDX-License-Identifier: Apache-2.0
"""programs.py NAME LOOPS [REPORT [CORE]]: one of the programs whose cost under a profiler is measured.

Ten of them are benchmarks of the pyperformance package, run here as a plain script in one process.
`id`, `deepcopy` and `sleepers` do one thing that a careless profiler makes dear, `pass` does nothing at all; those
of HEAVY do little but allocate, those of COPYING little but copy; those of LIBRARIES leave the work to
a library with threads of its own, and a good part of their time is importing it.
REPORT is a file to write the process's own CPU time and memory to, as seen from inside. CORE is where
it shall run, beside others that are to have the same conditions.
"""

import os  # no more than Python has loaded by itself: `pass` is to show what starting costs
import sys
import time

# One to four seconds each of a current core under Python 3.12.
LOOPS = {
    "mdp": 1, "async_none": 2, "async_io": 1, "async_cpu_io_mixed": 2, "async_memoization": 2,
    "fannkuch": 3, "pprint": 1, "raytrace": 3, "sympy": 12, "docutils": 1,
    "id": 20, "deepcopy": 35, "sleepers": 1, "pass": 1,
    "tuples": 20, "strings": 60, "characters": 60, "appends": 60, "dicts": 90, "temporaries": 25, "json": 1, "copies": 90,
    "moves": 150, "blas": 150, "jax": 500, "torch": 5000,
}
HEAVY = ["tuples", "strings", "characters", "appends", "dicts", "temporaries", "json", "copies"]
COPYING = ["moves"]
LIBRARIES = ["blas", "jax", "torch"]
TEN = [name for name in LOOPS
       if name not in ("id", "deepcopy", "sleepers", "pass", *HEAVY, *COPYING, *LIBRARIES)]


def load(name):
    """The run_benchmark module of one of pyperformance's benchmarks."""
    import importlib.util

    import pyperformance

    folder = os.path.join(os.path.dirname(pyperformance.__file__), "data-files", "benchmarks", "bm_" + name)
    spec = importlib.util.spec_from_file_location("bm_" + name, os.path.join(folder, "run_benchmark.py"))
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def run_async(kind, loops):
    import asyncio

    tree = load("async_tree").BENCHMARKS[kind]()
    for _ in range(loops):
        asyncio.run(tree.run())


def run_mdp(loops):
    load("mdp").bench_mdp(loops)


def run_fannkuch(loops):
    fannkuch = load("fannkuch").fannkuch
    for _ in range(loops):
        fannkuch(9)


def run_pprint(loops):
    import pprint

    data = load("pprint").printable
    for _ in range(loops):
        pprint.PrettyPrinter().pformat(data)


def run_raytrace(loops):
    load("raytrace").bench_raytrace(loops, 100, 100, None)


def run_sympy(loops):
    module = load("sympy")
    for _ in range(loops):
        module.bench_expand()
        module.bench_str()


def run_docutils(loops):
    import pathlib

    module = load("docutils")
    pages = pathlib.Path(module.__file__).parent / "data" / "docs"
    for _ in range(loops):
        module.build_html(pages)


def run_id(loops):
    thing = object()
    for _ in range(loops):
        for _ in range(1_000_000):
            id(thing)


def run_deepcopy(loops):
    import copy

    thing = {"names": ["a", "b", "c"], "points": [(i, [i]) for i in range(50)]}
    for _ in range(loops):
        for _ in range(200):
            copy.deepcopy(thing)


def run_sleepers(loops):
    """A hundred thousand tasks at a time."""
    import asyncio

    async def sleep():
        await asyncio.sleep(1)

    async def main():
        await asyncio.gather(*[sleep() for _ in range(100_000)])

    for _ in range(loops):
        asyncio.run(main())


def run_tuples(loops):
    for _ in range(loops):
        held = [(i, i) for i in range(500_000)]
        del held


def run_strings(loops):
    """Of one byte each, and each anew: there is one b"a" for all, but not of zeros made to measure."""
    for _ in range(loops):
        for _ in range(500_000):
            bytes(1)


def run_characters(loops):
    text = "\u0400\u0401\u0402\u0403" * 250_000  # no character below 256: these are not made anew
    for _ in range(loops):
        for _ in text:
            pass


def run_appends(loops):
    for _ in range(loops):
        items = []
        for i in range(500_000):
            items.append(i)


def run_dicts(loops):
    for _ in range(loops):
        for i in range(60_000):
            {"name": i, "size": i + 1, i: None, i + 1: [i]}


def run_temporaries(loops):
    import numpy

    small, large = numpy.ones(1000), numpy.ones(1_000_000)
    for _ in range(loops):
        for _ in range(10_000):
            small * 2 + small
        large * 2 + large


def run_json(loops):
    """A hundred megabytes, in four texts: as dear as one, and they need less room."""
    import json

    row = {"name": "somebody", "numbers": list(range(100_000, 100_020)), "flag": True, "text": "x" * 40}
    text = "[%s]" % ", ".join([json.dumps(row)] * 96_000)
    for _ in range(4 * loops):
        json.loads(text)


def run_copies(loops):
    block, small = bytearray(4_000_000), bytes(2000)
    for _ in range(loops):
        for _ in range(10):
            bytes(block)
        for _ in range(150_000):
            small[100:400]


def run_moves(loops):
    """Copies of all sizes, and nothing but copies: what they go to is there already, and nothing is counted."""
    import itertools

    there, here = bytearray(4_000_000), bytearray(4_000_000)
    to_few, few = bytearray(20), bytearray(20)
    to_some, some = bytearray(300), bytearray(300)
    to_many, many = bytearray(4000), bytearray(4000)
    for _ in range(loops):
        there[:] = here
        for _ in itertools.repeat(None, 60_000):
            to_few[:] = few
            to_some[:] = some
            to_many[:] = many


def run_blas(loops):
    import numpy

    a = b = numpy.ones((500, 500)) / 500
    for _ in range(loops):
        b = numpy.maximum(a @ b, 0)


def run_jax(loops):
    import jax
    import jax.numpy as jnp

    @jax.jit
    def step(a, b):
        return jnp.tanh(a @ b) + jnp.sort(a, axis=0)

    a = b = jnp.ones((200, 200))
    for _ in range(loops):
        a = step(a, b).block_until_ready()


def run_torch(loops):
    import torch

    x = w = torch.ones(100, 100)
    for _ in range(loops):
        x = torch.relu(torch.mm(x, w))
        x = x / x.norm()


def run_pass(loops):
    pass


def write_report(path, work_cpu_s):
    """CPU seconds, and the most memory this program held: since exec, unlike getrusage's figure."""
    import json

    with open("/proc/self/status") as status:
        peak_kb = next(int(line.split()[1]) for line in status if line.startswith("VmHWM:"))
    with open(path, "w") as report:
        json.dump({"cpu_s": time.process_time(), "work_cpu_s": work_cpu_s, "peak_mb": peak_kb / 1024}, report)


def main():
    if len(sys.argv) < 3 or sys.argv[1] not in LOOPS:
        raise SystemExit(__doc__)
    name, loops = sys.argv[1], int(sys.argv[2])
    if len(sys.argv) > 4:
        os.sched_setaffinity(0, {int(sys.argv[4])})
    start = time.process_time()
    if name.startswith("async_"):
        run_async(name[len("async_"):], loops)
    else:
        globals()["run_" + name](loops)
    if len(sys.argv) > 3:
        write_report(sys.argv[3], time.process_time() - start)


if __name__ == "__main__":
    main()
