# SPDX-License-Identifier: Apache-2.0
"""Programs that the agent would disturb, or cannot come into, do not see it, and are listed with the reason."""

import os
import shutil
import subprocess

import profiling
import pytest
from transparency import run_same

SOURCE = profiling.TARGETS / "children" / "shown.c"
LOADER = "/lib64/ld-linux-x86-64.so.2"
NOBODY = 65534

# Each way of starting has its own hook.
START = """
import ctypes, os, subprocess, sys
path = sys.argv[1]
libc = ctypes.CDLL(None)
words = (ctypes.c_char_p * 2)(path.encode(), None)
environ = ctypes.POINTER(ctypes.c_char_p).in_dll(libc, "environ")
os.environ["PATH"] += ":" + os.path.dirname(path)
name = os.path.basename(path)
def in_fork(act):
    pid = os.fork()
    if pid == 0:
        act()
        os._exit(99)
    os.waitpid(pid, 0)
subprocess.call([path])
subprocess.call([path], close_fds=False)
subprocess.call([name], env=dict(os.environ, EXTRA="x" * 100000))
os.waitpid(os.posix_spawn(path, [path], os.environ), 0)
os.waitpid(os.posix_spawnp(name, [name], os.environ), 0)
os.system(path)
in_fork(lambda: os.execv(path, [path]))
in_fork(lambda: os.execvp(name, [name]))
in_fork(lambda: os.execve(os.open(path, os.O_RDONLY), [path], os.environ))
in_fork(lambda: libc.execl(words[0], words[0], None))
in_fork(lambda: libc.execlp(name.encode(), words[0], None))
in_fork(lambda: libc.execle(words[0], words[0], None, environ))
in_fork(lambda: libc.execvpe(name.encode(), words, environ))
"""
STARTS = 13


def build(path, *options):
    command = ["cc", *options, "-o", str(path), str(SOURCE)]
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode:
        pytest.skip("cannot be built here: %s" % result.stderr.strip().splitlines()[-1])
    return path


def make_static(folder):
    return build(folder / "shown", "-static")


def make_static_pie(folder):
    return build(folder / "shown", "-static-pie")


def make_narrow(folder):
    if not os.path.exists("/lib/ld-linux.so.2"):
        pytest.skip("no loader of 32-bit programs")
    return build(folder / "shown", "-m32", "-nostdlib", "-pie", "-fPIE", "-Wl,-dynamic-linker,/lib/ld-linux.so.2")


def make_other_libc(folder):
    """Its loader has musl's name, which is all that tells it; as it is glibc's, the program runs."""
    os.symlink(LOADER, folder / "ld-musl-x86_64.so.1")
    return build(folder / "shown", "-Wl,-dynamic-linker,%s" % (folder / "ld-musl-x86_64.so.1"))


def make_setuid(folder):
    if os.getuid() != 0:
        pytest.skip("only root can make such a program")
    for place in (folder, *folder.parents):
        if str(place) != "/" and place.stat().st_uid == os.getuid():
            place.chmod(place.stat().st_mode | 0o55)
    path = build(folder / "shown")
    os.chown(path, NOBODY, -1)
    os.chmod(path, 0o4755)
    return path


def make_script(folder):
    interpreter = build(folder / "interpreter", "-static")
    path = folder / "shown"
    path.write_text("#! %s argument\n" % interpreter)
    path.chmod(0o755)
    return path


PROGRAMS = {
    "static": (make_static, "statically linked"), "static_pie": (make_static_pie, "statically linked"),
    "32_bit": (make_narrow, "another kind of machine"), "other_libc": (make_other_libc, "another C library"),
    "setuid": (make_setuid, "other rights"), "script": (make_script, "statically linked"),
}


def outsiders(run):
    return [process for process in run.profile["processes"] if not process["profiled"]]


@pytest.mark.parametrize("name", PROGRAMS)
def test_it_is_started_without_us_in_every_way(name, key_python, tmp_path):
    make, reason = PROGRAMS[name]
    path = make(tmp_path)
    run = run_same(key_python, "-c", START, path, folder=tmp_path)
    assert "LD_PRELOAD" not in run.stdout and "ld.so" not in run.stderr
    found = outsiders(run)
    failed = name == "script"  # its descriptor is closed before it can be read: that one child remains a Python
    assert len(found) == STARTS - failed
    assert [process for process in found if reason not in process["why_not"]] == []
    names = {os.path.basename(process["command"][0]) for process in found if process["command"]}
    assert names <= {path.name, "interpreter", ""}
    assert sum(process["profiled"] for process in run.profile["processes"]) == 1 + failed


# At its last moment as a Python each of some of them is sampled.
ON_THE_BRINK = """
import os, sys, time
for _ in range(int(sys.argv[2])):
    pid = os.fork()
    if pid == 0:
        while time.process_time() < 0.002:
            pass
        os.execv(sys.argv[1], sys.argv[1:2])
    os.waitpid(pid, 0)
"""


def test_a_sample_on_the_brink_of_exec_makes_no_python_of_it(profile, program, tmp_path):
    run = profile(profiling.key_pythons()[-1], program(ON_THE_BRINK), make_static(tmp_path), 200,
                  options=["--cpu-sampling-rate", "0.0005"])
    assert run.status == 0
    assert len(outsiders(run)) == 200
    assert len(run.profile["processes"]) == 201
    assert profiling.complaints(run.profile) == []


def test_the_loader_run_as_a_program_is_no_static_program(profile):
    python = profiling.Python("/usr/bin/python3", "system", (), True)
    code = "import subprocess, sys\nsubprocess.run(['%s', sys.executable, '-c', 'sum(range(10**6))'], check=True)"
    run = profile(python, "---", "-c", code % LOADER)
    assert run.status == 0
    assert [process["profiled"] for process in run.profile["processes"]] == [True, True]


CLEARED = """
import os, subprocess, sys
words = [sys.executable, "-c", "pass"]
subprocess.run(words, env={}, check=True)
subprocess.run(["env", "-i", *words], check=True)
os.environ.clear()
subprocess.run(words, check=True)
"""


def test_a_cleared_environment_stays_clear(profile, program, key_python):
    run = profile(key_python, program(CLEARED))
    found = outsiders(run)
    assert run.status == 0
    assert len(found) == 3
    assert all("environment of its own" in process["why_not"] for process in found)


def test_what_the_program_preloads_itself_stays(program, tmp_path):
    python = profiling.key_pythons()[-1]
    shown = build(tmp_path / "shown", "-static")
    library = next(line.split()[-1] for line in open("/proc/self/maps") if "libm.so" in line or "libz.so" in line)
    path = program("import subprocess, sys; subprocess.call([sys.argv[1]])")
    run = profiling.profile(python, path, shown, out=tmp_path / "o.json", env={**os.environ, "LD_PRELOAD": library})
    assert run.stdout == "LD_PRELOAD=%s\n" % library


def test_a_thousand_variables(program, tmp_path):
    python = profiling.key_pythons()[0]
    shown = build(tmp_path / "shown", "-static")
    path = program("import os, subprocess, sys\nfor i in range(3000): os.environ['V%d' % i] = str(i)\n"
                   "subprocess.call([sys.argv[1]]); subprocess.call(['sh', '-c', 'echo $V0 $V2999'])\n")
    run = profiling.profile(python, path, shown, out=tmp_path / "o.json")
    assert run.stdout == "0 2999\n"


def test_a_failed_exec_leaves_no_trace(profile, program, key_python, tmp_path):
    not_executable = shutil.copy("/bin/true", tmp_path / "not_executable")
    os.chmod(not_executable, 0o644)
    run = profile(key_python, program("""
import os, subprocess, sys, time
for path in ("/nonexistent", sys.argv[1]):
    try:
        os.execv(path, [path])
    except OSError as error:
        print(type(error).__name__)
    try:
        subprocess.call([path])
    except OSError as error:
        print(type(error).__name__)
end = time.process_time() + 0.3
while time.process_time() < end: pass
"""), not_executable)
    assert run.stdout.split() == ["FileNotFoundError"] * 2 + ["PermissionError"] * 2
    # A child that was forked and could not become what it should is a Python process that ended.
    assert all(process["profiled"] for process in run.profile["processes"])
    assert max(process["cpu_s"] for process in run.profile["processes"]) > 0.3


NAMESPACES = """
import ctypes, os, subprocess, sys
words = [sys.executable, "-c", "import os, subprocess, sys; subprocess.run(sys.argv[1:], check=True)", "true"]
for more in [], ["--mount-proc"]:
    subprocess.run(["unshare", "--pid", "--fork", *more, *words], check=True)
if ctypes.CDLL(None).unshare(0x20000000) != 0:
    sys.exit(3)
pid = os.fork()
if pid == 0:
    sum(range(5 * 10 ** 6))  # samples, if it took any
    os._exit(6)
os.waitpid(pid, 0)
print(pid)
"""


def test_a_child_in_another_pid_namespace_is_listed_and_nobody_is_taken_for_it(profile, program, key_python):
    """Its own number is another process's here: that of init, which nobody may wait for."""
    possible = subprocess.run(["unshare", "--mount", "--pid", "--fork", "--mount-proc", "true"], capture_output=True)
    if possible.returncode != 0:
        pytest.skip("no namespaces here")
    run = profile(key_python, program(NAMESPACES))
    assert run.status == 0, run.stderr
    assert "on: the profile is in" not in run.stderr  # nobody is waited for
    found = {process["pid"]: process for process in outsiders(run)}
    assert len(found) == 3
    assert all("another PID namespace" in process["why_not"] for process in found.values())
    assert 1 in found  # with a /proc of its own it knows no other number
    assert int(run.stdout) in found
    assert all(process["ended"]["how"] in ("exit", "unknown") for process in found.values())
    assert sum(process["profiled"] for process in run.profile["processes"]) == 1
