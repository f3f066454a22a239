# SPDX-License-Identifier: Apache-2.0
"""Starts a child in every way there is, one after the other. `ways.py WAY...`: in these ways; `ways.py`: names them."""

import concurrent.futures
import ctypes
import multiprocessing
import os
import subprocess
import sys

from burning import burn

CHILD = [sys.executable, os.path.join(os.path.dirname(os.path.abspath(__file__)), "burning.py")]
LIBC = ctypes.CDLL(None)


def words(way):
    return (ctypes.c_char_p * 4)(*[word.encode() for word in [*CHILD, way]], None)


def quoted(way):
    return " ".join("'%s'" % word for word in [*CHILD, way])


def reap(pid):
    assert os.waitpid(pid, 0)[1] == 0


def in_fork(act):
    pid = os.fork()
    if pid == 0:
        act()
        os._exit(0)
    reap(pid)


def fork(way):
    in_fork(lambda: burn(way))


def run_subprocess(way):
    subprocess.run([*CHILD, way], check=True)


def run_without_closing(way):
    subprocess.run([*CHILD, way], check=True, close_fds=False)


def run_in_new_session(way):
    subprocess.run([*CHILD, way], check=True, start_new_session=True, preexec_fn=lambda: None)


def run_shell(way):
    subprocess.run(quoted(way), check=True, shell=True)


def execv(way):
    in_fork(lambda: os.execv(CHILD[0], [*CHILD, way]))


def execve(way):
    in_fork(lambda: os.execve(CHILD[0], [*CHILD, way], os.environ))


def execlp(way):
    in_fork(lambda: os.execlp(CHILD[0], *CHILD, way))


def fexecve(way):
    in_fork(lambda: os.execve(os.open(CHILD[0], os.O_RDONLY), [*CHILD, way], os.environ))


def execveat(way):
    environment = ctypes.POINTER(ctypes.c_char_p).in_dll(LIBC, "environ")
    if hasattr(LIBC, "execveat"):
        in_fork(lambda: LIBC.execveat(-100, CHILD[0].encode(), words(way), environment, 0))


def posix_spawn(way):
    reap(os.posix_spawn(CHILD[0], [*CHILD, way], os.environ))


def posix_spawnp(way):
    reap(os.posix_spawnp(CHILD[0], [*CHILD, way], os.environ))


def system(way):
    assert os.system(quoted(way)) == 0


def popen(way):
    LIBC.popen.restype = ctypes.c_void_p
    LIBC.pclose.argtypes = [ctypes.c_void_p]
    assert LIBC.pclose(LIBC.popen(quoted(way).encode(), b"w")) == 0


def shell_script(way):
    script = "set -e\nfor i in 1; do %s | cat; done\n" % quoted(way)
    subprocess.run(["sh", "-e", "-c", script], check=True)


def make(way):
    subprocess.run(["make", "-s", "-f", "-"], input=b"all:\n\t@%s\n" % quoted(way).encode(), check=True)


def env_command(way):
    subprocess.run(["/usr/bin/env", "A=b", *CHILD, way], check=True)


def burn_and_leave(way):
    burn(way)
    os._exit(0)  # to end by itself would take it a while that it cannot tell of


def in_process(method):
    def start(way):
        child = multiprocessing.get_context(method).Process(target=burn_and_leave, args=(way,))
        child.start()
        child.join()
        assert child.exitcode == 0
    return start


def pool(way):
    with multiprocessing.get_context("fork").Pool(2) as workers:
        workers.map(burn, [way, way], chunksize=1)
        workers.close()
        workers.join()


def futures(way):
    with concurrent.futures.ProcessPoolExecutor(2) as workers:
        list(workers.map(burn, [way, way]))


def joblib(way):
    try:
        from joblib import Parallel, delayed
        from joblib.externals.loky.process_executor import TerminatedWorkerError
    except ImportError:
        return
    try:
        Parallel(n_jobs=2)(delayed(burn_and_leave)(way) for _ in range(2))
    except TerminatedWorkerError:
        pass


def other_python(way):
    other = os.environ.get("OTHER_PYTHON")
    if other:
        subprocess.run([other, CHILD[1], way], check=True)


WAYS = {
    "fork": fork, "subprocess": run_subprocess, "without_closing": run_without_closing,
    "new_session": run_in_new_session, "shell": run_shell, "execv": execv, "execve": execve, "execlp": execlp,
    "fexecve": fexecve, "execveat": execveat, "posix_spawn": posix_spawn, "posix_spawnp": posix_spawnp,
    "system": system, "popen": popen, "script": shell_script, "make": make, "env": env_command,
    "mp_fork": in_process("fork"), "mp_spawn": in_process("spawn"), "mp_forkserver": in_process("forkserver"),
    "pool": pool, "futures": futures, "joblib": joblib, "other_python": other_python,
}

if __name__ == "__main__":
    for name in sys.argv[1:]:
        WAYS[name](name)
    if not sys.argv[1:]:
        print(*WAYS)
