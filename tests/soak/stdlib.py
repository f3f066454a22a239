# SPDX-License-Identifier: Apache-2.0
"""Modules of the standard library's test suite, bare and under the profiler.

They must end alike, test by test. A test that does not is run again both ways: it counts as a difference
when it never ended under the profiler as it did bare at least once. Tests that skip themselves because they
see LD_PRELOAD in the environment are counted apart.
"""

import collections
import os
import signal
import subprocess
import tempfile
import xml.etree.ElementTree

from results import result

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("SCALENE_BUILD", os.path.join(ROOT, "build"))
MODULES = """test_threading test_thread test_threadsignals test_signal test_fork1 test_subprocess
    test_asyncio test_gc test_generators test_socket test_selectors test_select test_poll test_epoll
    test_os test_posix test_faulthandler test_sys test_audit test_wait4 test_eintr
    test_concurrent_futures test_queue test_sched test_mmap test_fcntl test_pty test_regrtest
    test_array test_bytes test_memoryview test_multiprocessing_fork""".split()
# Run only when asked for: they take longer than they find.
LONG = {"test_concurrent_futures", "test_regrtest"}
USUAL = [name for name in MODULES if name not in LONG]
# Not run, and why.
IGNORED = {"ThreadedVSOCKSocketStreamTest": "hangs in some virtual machines, bare as well",
           "test_debugmallocstats": "`sys._debugmallocstats()` leaves the pools out while anything stands before them"}
SLOW = {"test_eintr"}  # from 3.12 on, they run only where time may be spent
TIMEOUT_S = 900
ROUNDS = 3  # for a module that did not end alike

AVERSE = "skipped, seeing LD_PRELOAD"


def has_module(python, module):
    code = "import importlib.util, sys; sys.exit(not importlib.util.find_spec('test.%s'))" % module
    return subprocess.run([python["path"], "-c", code], stderr=subprocess.DEVNULL).returncode == 0


def outcome_of(case):
    for child in case:
        if child.tag == "skipped" and "LD_PRELOAD" in (child.text or "") + child.get("message", ""):
            return AVERSE
        if child.tag in ("failure", "error", "skipped"):
            return child.tag
    return "passed"


def read_results(path):
    """Of a report, the outcome of each test. One that ran in several guises has the worst."""
    rank = ["passed", "skipped", AVERSE, "failure", "error"]
    results = {}
    for case in xml.etree.ElementTree.parse(path).getroot().iter("testcase"):
        # Subtests carry their parameters, which may be addresses and temporary names.
        name = case.get("name").split(" (")[0] + " " + (case.get("classname") or "")
        results[name] = max(results.get(name, "passed"), outcome_of(case), key=rank.index)
    return results


def run(command, folder):
    """Status of a command with all that it starts ended with it."""
    log = open(os.path.join(folder, "log"), "wb")
    process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=log,
                               stderr=subprocess.STDOUT, start_new_session=True)
    try:
        return process.wait(TIMEOUT_S)
    except subprocess.TimeoutExpired:
        return "no end in %d s" % TIMEOUT_S
    finally:
        log.close()
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()


def test_once(python, module, is_profiled, keep):
    with tempfile.TemporaryDirectory(prefix="soak-") as folder:
        report = os.path.join(folder, "report.xml")
        command = [python["path"]]
        if is_profiled:
            command = [os.path.join(BUILD, "scalene"), "run", "--python", python["path"],
                       "-o", os.path.join(folder, "profile.json")]
        options = [word for name in IGNORED for word in ("--ignore", name)]
        if module in SLOW and int(python["minor"].split(".")[1]) >= 12:
            options += ["-u", "walltime"]
        status = run(command + ["-m", "test", "--junit-xml", report, *options, module], folder)
        if keep:
            name = "%s-%s-%s.log" % (python["id"], module, "profiled" if is_profiled else "bare")
            os.makedirs(keep, exist_ok=True)
            with open(os.path.join(folder, "log"), "rb") as log, open(os.path.join(keep, name), "ab") as copy:
                copy.write(log.read())
        results = read_results(report) if os.path.exists(report) else {}
        results["the whole module"] = "status %s" % status
        if is_profiled and not os.path.exists(os.path.join(folder, "profile.json")):
            results["its profile"] = "not written"
        return results


def test_module(python, module, keep=None):
    """The result of a module, bare against profiled."""
    if not has_module(python, module):
        return result(module, python["id"], None, "it does not have")
    bare, profiled = collections.defaultdict(set), collections.defaultdict(set)
    for _ in range(ROUNDS):
        for seen, is_profiled in ((bare, False), (profiled, True)):
            for name, outcome in test_once(python, module, is_profiled, keep).items():
                seen[name].add(outcome)
        averse = sorted(name for name in profiled if AVERSE in profiled[name])
        unlike = {name for name in bare.keys() | profiled.keys() if bare[name] != profiled[name]}
        unlike -= set(averse)
        if not unlike:
            break
    differences = sorted(name for name in unlike if not bare[name] & profiled[name])
    for name in differences:
        print("    %s: bare %s, profiled %s" % (name, sorted(bare[name]), sorted(profiled[name])))
    flaky = [name for name in bare if len(bare[name]) > 1 or name in unlike and name not in differences]
    return result(module, python["id"], not differences, say(differences, flaky, averse), len(bare) - 1)


def say(differences, flaky, averse):
    words = ["%d differ: %s" % (len(differences), ", ".join(differences))] if differences else ["as bare"]
    if flaky:
        words.append("%d not always the same, bare or profiled" % len(flaky))
    if averse:
        words.append("%d %s" % (len(averse), AVERSE))
    return "; ".join(words)
