# SPDX-License-Identifier: Apache-2.0
"""One timed run of a program: bare, under scalene, or under another profiler."""

import json
import os
import pathlib
import shutil
import subprocess
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BUILD = pathlib.Path(os.environ.get("SCALENE_BUILD", ROOT / "build")).resolve()
LIMIT_S = 600

# Other profilers: the package that has it, and the words before the script.
PEERS = {
    "py-spy": ("py-spy", lambda bin, out: [bin / "py-spy", "record", "-d", "100000", "-r", "100", "-f", "raw",
                                           "-o", out, "--", bin / "python"]),
    "memray": ("memray", lambda bin, out: [bin / "python", "-m", "memray", "run", "-q", "-f", "-o", out]),
    "original-cpu": ("scalene", lambda bin, out: [bin / "python", "-m", "scalene", "run", "--cpu-only", "-o", out]),
    "original": ("scalene", lambda bin, out: [bin / "python", "-m", "scalene", "run", "-o", out]),
    "austin": ("austin-dist<4", lambda bin, out: [bin / "austin", "-i", "10000", "-o", out, bin / "python"]),
    "pyinstrument": ("pyinstrument", lambda bin, out: [bin / "python", "-m", "pyinstrument", "-r", "json", "-o", out]),
}


class Failed(Exception):
    pass


def words_before(profiler, python, out, options, build=BUILD):
    """What stands before the script's name."""
    if profiler == "bare":
        return [python]
    if profiler == "ours":
        return [build / "scalene", "run", "-o", out, "--python", python, *options]
    return PEERS[profiler][1](pathlib.Path(python).parent, out)


def is_installed(profiler, python):
    command = words_before(profiler, python, "out", [])
    if shutil.which(command[0]) is None:
        return False
    if command[1:2] != ["-m"]:
        return True
    find = "import importlib.util as u, sys; sys.exit(u.find_spec(%r) is None)" % command[2]
    return subprocess.run([python, "-c", find]).returncode == 0


class Run:
    """One run of a program under way."""

    def __init__(self, profiler, python, program, loops, scratch, options=(), build=BUILD, core=None):
        self.profiler, self.program = profiler, program
        self.out, self.report, log = (scratch / (profiler + end) for end in (".json", ".report", ".log"))
        for path in (self.out, self.report):
            path.unlink(missing_ok=True)
        # What does nothing but start shall not load what a report needs.
        told = [] if program == "pass" else [self.report, *([] if core is None else [str(core)])]
        words = [*words_before(profiler, python, self.out, options, build), HERE / "programs.py", program,
                 str(loops), *told]
        self.log = open(log, "w+")
        self.start = time.perf_counter()
        self.process = subprocess.Popen([str(word) for word in words], stdin=subprocess.DEVNULL, stdout=self.log,
                                        stderr=subprocess.STDOUT, cwd=scratch, env=dict(os.environ, PYTHONHASHSEED="0"))

    def end(self):
        """Wall and CPU seconds from outside, CPU and memory of the program from inside, and for ours
        what the profile itself says it cost."""
        _, status, usage = os.wait4(self.process.pid, 0)
        wall_s = time.perf_counter() - self.start
        self.process.returncode = status
        self.log.seek(0)
        said = self.log.read()
        self.log.close()
        if status != 0:
            raise Failed("%s under %s: %s" % (self.program, self.profiler, said[-400:]))
        tree_cpu_s = usage.ru_utime + usage.ru_stime
        result = {"wall_s": wall_s, "tree_cpu_s": tree_cpu_s, "cpu_s": tree_cpu_s, "peak_mb": usage.ru_maxrss / 1024}
        if self.report.exists():
            result.update(json.loads(self.report.read_text()))
        if self.profiler == "ours":
            result.update(own_costs(self.out))
        return result


def timed(*arguments, **named):
    return Run(*arguments, **named).end()


def side_by_side(python, program, loops, scratch, options, profiled_first):
    """Bare and profiled on one core at the same time: they get its time in turns of a few milliseconds,
    so that whatever else happens on the machine happens to both. CPU seconds of the work in each."""
    core = max(os.sched_getaffinity(0))
    order = ["ours", "bare"] if profiled_first else ["bare", "ours"]
    begun = {name: Run(name, python, program, loops, scratch, options if name == "ours" else (), core=core)
             for name in order}
    ended = {name: run.end() for name, run in begun.items()}
    return ended["bare"]["work_cpu_s"], ended["ours"]["work_cpu_s"]


def own_costs(path):
    quality = json.loads(path.read_text())["quality"]
    return {name: float(quality.get(name) or 0) for name in ("own_cpu_in_program_s", "own_cpu_beside_s")}
