# SPDX-License-Identifier: Apache-2.0
"""What the long tests found, each result with the day and the state of the agent's source that it is of.

A run that was given only a part renews these results alone; the page shows of every row how old it is, and
says which are of the agent as it is now.
"""

import collections
import contextlib
import datetime
import fcntl
import json
import os
import subprocess

# One thing that was tried on one Python ("" where none is involved); is_good is None where it could not be.
# `tests` is how many there were within; `agent` is the commit that the agent's source was last changed by.
Result = collections.namedtuple("Result", "what python is_good words tests date agent", defaults=("",))

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
AGENT_SOURCE = ["src/agent", "src/wire", "src/base"]


def result(what, python, is_good, words, tests=0):
    return Result(what, python, is_good, words, tests, str(datetime.date.today()))


def agent_commit():
    """With a "+" where there is more than the commit has; "" where there is no git."""
    def git(*words):
        return subprocess.run(["git", "-C", ROOT, *words, "--", *AGENT_SOURCE], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True).stdout.strip()
    return git("log", "-1", "--abbrev=8", "--format=%h") + ("+" if git("status", "--porcelain") else "")


def by_version(name):
    return [int(part) for part in name.split("-")[0].split(".") if part], name


class Results:
    def __init__(self, path):
        self.agent = agent_commit()
        self.path = path
        self.known = {}
        with self.opened() as file:
            self.read(file)

    @contextlib.contextmanager
    def opened(self):
        """For one thread of one process at a time."""
        with open(self.path, "a+", encoding="utf-8") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield file

    def read(self, file):
        file.seek(0)
        rows = json.loads(file.read() or "[]")
        self.known = {(row[0], row[1]): Result(*row) for row in rows}

    def add(self, found):
        with self.opened() as file:
            self.read(file)
            self.known[found.what, found.python] = found._replace(agent=self.agent)
            rows = sorted(self.known.values(), key=lambda row: (row.what, by_version(row.python)))
            file.truncate(0)
            file.write("[\n%s\n]\n" % ",\n".join(json.dumps(row) for row in rows))

    def lacks(self, wanted):
        """Those of the pairs of what and Python that have no result yet."""
        return [pair for pair in wanted if pair not in self.known]

    def of(self, names):
        """In the order of the names, then of the Pythons."""
        names = list(names)
        rows = [row for row in self.known.values() if row.what in names]
        return sorted(rows, key=lambda row: (names.index(row.what), by_version(row.python)))


def modules_table(rows):
    """A row a Python: what was the same everywhere needs no words."""
    lines = ["| Python | modules | tests | ended other than bare | worth knowing | on |", "|---|---|---|---|---|---|"]
    pythons = collections.defaultdict(list)
    for row in rows:
        pythons[row.python].append(row)
    for name in sorted(pythons, key=by_version):
        group = [row for row in pythons[name] if row.is_good is not None]
        if not group:
            lines.append("| %s | 0 | 0 | none | it comes without tests | | |" % name)
            continue
        differences = ", ".join(row.what for row in group if not row.is_good) or "none"
        known = "; ".join("%s: %s" % (row.what, row.words) for row in group if row.words != "as bare")
        lines.append("| %s | %d | %d | %s | %s | %s | %s |" % (
            name, len(group), sum(row.tests for row in group), differences, known,
            " to ".join(ends(row.date for row in group)), ", ".join(sorted({row.agent for row in group}))))
    return lines


def ends(days):
    """The first and the last, once if they are the same."""
    days = sorted(set(days))
    return days if len(days) == 1 else [days[0], days[-1]]


def page(results, parts, modules, rounds, ignored, lacking):
    """`parts` are names, each with the words that tell a reader what it is; `ignored`, with the reason; of
    `lacking` there is no result."""
    lines = ["# The long tests", "",
             "Written by `make soak`, which keeps its results in tests/soak/results.json. `agent` is the commit that the",
             "agent's source was last changed by when the row was measured; it is %s now. One that the history does not" %
             results.agent, "hold has become part of a larger one since.", "",
             "| what | Python | result | on | agent |", "|---|---|---|---|---|"]
    for row in results.of(parts):
        lines.append("| %s | %s | %s%s | %s | %s |" % (
            parts[row.what], row.python, "FAILED: " if row.is_good is False else "", row.words, row.date, row.agent))
    lines += ["", "## The standard library's tests under the profiler", "",
              "Each module ran bare and under `scalene run`; every test must end in the same way. Those that did not",
              "were run %d times both ways." % rounds, "", *modules_table(results.of(modules)),
              "", "The modules: %s." % ", ".join(modules),
              *(["", "Not measured yet: %s." % "; ".join(lacking)] if lacking else []),
              "", "Left out: %s." % "; ".join("%s (%s)" % pair for pair in ignored.items())]
    return "\n".join(lines) + "\n"
