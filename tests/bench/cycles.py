# SPDX-License-Identifier: Apache-2.0
"""What the agent's parts cost inside a program, in processor cycles, from a build that counts them.

Unlike a ratio of two runs it does not depend on the machine's mood. What it leaves out is the
kernel's own way into and out of a signal handler, and what caches lose.
"""

import bisect
import os
import pathlib
import struct
import subprocess

import runs

BUILD = runs.ROOT / "build-cycles"


def build():
    if not (BUILD / "build.ninja").exists():
        subprocess.run(["meson", "setup", "-Dcycles=true", "-Dtests=disabled", BUILD, runs.ROOT],
                       check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["ninja", "-C", BUILD, "--quiet", "scalene", "libscalene-agent.so"], check=True)


def functions():
    """Start addresses in the agent's file and names, in order."""
    listing = subprocess.run(["nm", "--defined-only", BUILD / "libscalene-agent.so"], check=True,
                             stdout=subprocess.PIPE, text=True).stdout
    rows = (line.split() for line in listing.splitlines())
    return sorted((int(address, 16), name) for address, kind, name in rows if kind in "tTW")


def read_table(path):
    """Of the process that counted most: seconds and calls by function."""
    tables = []
    for address, second, third in struct.iter_unpack("QQQ", pathlib.Path(path).read_bytes()):
        if address == 0:
            tables.append((float(second), []))
        else:
            tables[-1][1].append((address, second, third))
    hertz, rows = max(tables, key=lambda table: sum(row[2] for row in table[1]))
    names = functions()
    starts = [start for start, _ in names]
    result = {}
    for address, calls, cycles in rows:
        name = names[bisect.bisect_right(starts, address) - 1][1].split(".")[0]
        seconds, most_calls = result.get(name, (0.0, 0))
        result[name] = seconds + cycles / hertz, max(calls, most_calls)
    return result


def measure(python, program, loops, scratch, options):
    """What the handler and the hooks took of the program's CPU time, and how often."""
    path = scratch / "cycles"
    path.unlink(missing_ok=True)
    os.environ["SCALENE_CYCLES"] = str(path)
    try:
        run = runs.timed("ours", python, program, loops, scratch, options, build=BUILD)
    finally:
        del os.environ["SCALENE_CYCLES"]
    table = read_table(path)
    handler = table.pop("on_signal", (0.0, 0))
    return {"program": program, "cpu_s": run["cpu_s"], "told_s": run["own_cpu_in_program_s"], "handler": handler,
            "hooks": dict(sorted(table.items(), key=lambda item: -item[1][0]))}


def is_told(row):
    """Whether the cost that the profile states is the counted one, within a factor of two."""
    counted = row["handler"][0] + sum(seconds for seconds, _ in row["hooks"].values())
    return counted / 2 <= row["told_s"] <= counted * 2


def lines(row):
    """For a person: the handler, the hooks together, and the dearest of them."""
    def cell(name, cost):
        seconds, calls = cost
        return "%s %.2f %% (%d calls of %.2f us)" % (name, 100 * seconds / row["cpu_s"], calls,
                                                     1e6 * seconds / max(calls, 1))

    hooks = sum(seconds for seconds, _ in row["hooks"].values()), sum(calls for _, calls in row["hooks"].values())
    yield "%-20s %s, %s; the profile says %.2f %%" % (
        row["program"], cell("handler", row["handler"]), cell("hooks", hooks), 100 * row["told_s"] / row["cpu_s"])
    if row["hooks"]:
        yield " " * 21 + ", ".join(cell(name, cost) for name, cost in list(row["hooks"].items())[:4])
