# SPDX-License-Identifier: Apache-2.0
"""Truth of awaits: seconds that tasks spent in them and how many at once, by the program's own clocks.

Nothing of it is a sample: no chance is allowed for. What the two clocks see differently is the program's
own work between its reading and the await's, some microseconds a call, and what it is put off there: by others
that want the core, as the kernel says of the process's threads, any of which may have the GIL, and by a virtual
machine's host. A loop is between the two clocks of one await at a time.

What coroutines compute is sampled, one point in each period: a stretch without a pause has all of them but for its two
ends. A point may be noticed late, at the kernel's next tick that finds the thread on its core: where others want that core and
ticks find the thread by chance, once in a million times more than fourteen of them do not.
"""

import dataclasses
import os
import subprocess

import truth

BAR = 2.0  # percent
PERIOD_S = 0.01
CONCURRENCY_BAR = 5.0
OUTSIDE_S = 100e-6
STOLEN_UNIT_S = 1 / truth.profiling.CLOCK_HZ  # less than one is told as nothing

INCLUDES = "import os, sysconfig; path = sysconfig.get_path('include'); print(path, os.path.dirname(path), sep='\\n')"


def compile_module(python, folder):
    """Coroutines compiled by Cython, as a module of that interpreter in the folder."""
    source = folder / "compiled.c"
    subprocess.run([python.path, "-m", "cython", "-3", truth.TARGETS / "compiled.pyx", "-o", source], check=True)
    includes = subprocess.check_output([python.path, "-c", INCLUDES], text=True).split()
    subprocess.run(["cc", "-O0", "-w", "-shared", "-fPIC", *["-I" + path for path in includes], source, "-o",
                    folder / "compiled.so"], check=True)


STATIC = """import os, sysconfig
print(os.path.join(sysconfig.get_config_var("LIBPL"), "python.o"), sysconfig.get_config_var("BINDIR"),
      os.path.join(sysconfig.get_config_var("LIBPL"), sysconfig.get_config_var("LIBRARY")), sep="\\n")
"""


def link_statically(python, folder):
    """The same interpreter without a library of its own, which exports what it has to extensions; None: not to be had."""
    start, home, library = subprocess.check_output([python.path, "-c", STATIC], text=True).splitlines()
    if not os.path.exists(start) or not os.path.exists(library):
        return None
    path = folder / "bin" / "python3"
    path.parent.mkdir()
    (folder / "pyvenv.cfg").write_text("home = %s\n" % home, encoding="utf-8")
    subprocess.run(["cc", "-o", path, start, "-Wl,--whole-archive", library, "-Wl,--no-whole-archive,--export-dynamic",
                    "-lcrypt", "-lpthread", "-ldl", "-lutil", "-lm"], check=True)
    return dataclasses.replace(python, path=str(path), id=python.id + "-static")


def figures_of(observation, row):
    line = observation.lines[row["line"]]
    if row["kind"] == "none":
        return [truth.Figure("%s is no await" % row["name"], 1000 * line["await_s"], 0, 0.1, 0, unit="ms")]
    loops = observation.truth["loops"]
    put_off_s = loops * (row["ready_s"] + row["stolen_s"] + STOLEN_UNIT_S)
    allowance = 1000 * (row["calls"] * OUTSIDE_S + put_off_s)
    mean = row["await_s"] / row["occupied_s"]
    return [
        truth.Figure("%s" % row["name"], 1000 * line["await_s"], 1000 * row["await_s"], 10 * BAR * row["await_s"],
                     allowance, unit="ms"),
        truth.Figure("%s: at once" % row["name"], line["n_async_concurrency_mean"], mean,
                     CONCURRENCY_BAR / 100 * mean, mean * put_off_s * (1 / row["await_s"] + 1 / row["occupied_s"]),
                     unit=""),
        truth.Figure("%s: at most" % row["name"], line["n_async_concurrency_peak"], row["peak"],
                     CONCURRENCY_BAR / 100 * row["peak"], loops - 1, unit=""),
    ]


def stretch_figure(observation, row):
    ends_s = 2 * PERIOD_S + 14 / truth.TICK_HZ
    return truth.Figure("%s: CPU" % row["name"], 1000 * observation.cpu_of_lines(row["first"], row["last"]),
                        1000 * row["cpu_s"], 10 * BAR * row["cpu_s"], 1000 * ends_s, unit="ms")


def measure(python, scale=1.0, way="asyncio", folder=""):
    observation = truth.observe(python, "awaits.py", 0.3 * scale, way, folder, period_s=PERIOD_S)
    return [*[stretch_figure(observation, row) for row in observation.truth["stretches"]],
            *[figure for row in observation.truth["awaits"] for figure in figures_of(observation, row)]]
