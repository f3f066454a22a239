# SPDX-License-Identifier: Apache-2.0
"""What tests of the agent's memory records share: running memory_run and reading its answer."""

import os
import re
import subprocess

TIMEOUT_S = 600  # for what hangs: a crowded machine is no reason to fail
FUNCTION = re.compile(r"^(\S+) : (.+) added (\S+) live (\S+) at_end (\S+) python (\S+) samples (\S+)$")
SUMMARY = re.compile(r"^(\d+\.\d+) (footprint .*)$")


class Answer:
    """Of the program itself: `numbers` by name, `functions` as name to a dict; of all: `processes`."""

    def __init__(self, text):
        self.said, self.processes = [], {}
        self.status = program = None
        for line in text.splitlines():
            function, summary = FUNCTION.match(line), SUMMARY.match(line)
            if function:
                names = ("added", "live", "at_end", "python", "samples")
                self.of(function[1])[1][function[2]] = dict(zip(names, map(float, function.groups()[2:])))
            elif summary:
                words = summary[2].split()
                self.of(summary[1])[0].update(zip(words[::2], map(int, words[1::2])))
            elif line.startswith("program "):
                program = line.split()[1]
            elif line.startswith("status "):
                self.status = int(line.split()[1])
            else:
                self.said.append(line)
        # Not the lowest number: the kernel begins again when it has given out the highest.
        first = next((name for name in self.processes if name.split(".")[0] == program), None)
        self.numbers, self.functions = self.processes.get(first, ({}, {}))

    def of(self, process):
        return self.processes.setdefault(process, ({}, {}))


def run(memory_run, agent, mean, command, preload=None, **environment):
    environment = {**os.environ, **environment}
    environment.pop("LD_PRELOAD", None)
    environment.pop("MALLOC_PERTURB_", None)
    if preload:
        environment["MEMORY_RUN_PRELOAD"] = preload
    result = subprocess.run([memory_run, agent, str(mean), *command], stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment,
                            timeout=TIMEOUT_S, check=True)
    return Answer(result.stdout.decode(errors="replace"))


def run_bare(command, preload=None, **environment):
    environment = {**os.environ, **environment}
    environment.pop("LD_PRELOAD", None)
    environment.pop("MALLOC_PERTURB_", None)
    if preload:
        environment["LD_PRELOAD"] = preload
    result = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, env=environment, timeout=TIMEOUT_S)
    return result.stdout.decode(errors="replace").splitlines(), result.returncode


class Checks:
    """Collects what does not hold."""

    def __init__(self):
        self.failed = 0

    def expect(self, holds, *words):
        if not holds:
            self.failed += 1
            print("FAILED:", *words)

    def nothing_lost(self, answer, what):
        for numbers, _ in answer.processes.values():
            for name in ("unknown", "torn", "dropped_allocations", "blocks_lost", "allocators_replaced"):
                self.expect(numbers[name] == 0, what, name, numbers[name])
