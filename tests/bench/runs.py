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


def words_before(profiler, python, out, options):
    """What stands before the script's name."""
    if profiler == "bare":
        return [python]
    if profiler == "ours":
        return [BUILD / "scalene", "run", "-o", out, "--python", python, *options]
    return PEERS[profiler][1](pathlib.Path(python).parent, out)


def is_installed(profiler, python):
    command = words_before(profiler, python, "out", [])
    if shutil.which(command[0]) is None:
        return False
    if command[1:2] != ["-m"]:
        return True
    find = "import importlib.util as u, sys; sys.exit(u.find_spec(%r) is None)" % command[2]
    return subprocess.run([python, "-c", find]).returncode == 0


def timed(profiler, python, program, loops, scratch, options=()):
    """Wall and CPU seconds from outside, CPU and memory of the program from inside, and for ours
    what the profile itself says it cost."""
    out, report = scratch / "profile.json", scratch / "report.json"
    for path in (out, report):
        path.unlink(missing_ok=True)
    command = [*words_before(profiler, python, out, options), HERE / "programs.py", program, str(loops), report]
    log = open(scratch / "log", "w+")
    start = time.perf_counter()
    process = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=log,
                               stderr=subprocess.STDOUT, cwd=scratch)
    _, status, usage = os.wait4(process.pid, 0)
    wall_s = time.perf_counter() - start
    process.returncode = status
    if status != 0 or not report.exists():
        log.seek(0)
        raise Failed("%s under %s: %s" % (program, profiler, log.read()[-400:]))
    log.close()
    result = {"wall_s": wall_s, "tree_cpu_s": usage.ru_utime + usage.ru_stime, **json.loads(report.read_text())}
    if profiler == "ours":
        result.update(own_costs(out))
    return result


def own_costs(path):
    quality = json.loads(path.read_text())["quality"]
    return {name: float(quality.get(name) or 0) for name in ("own_cpu_in_program_s", "own_cpu_beside_s")}
