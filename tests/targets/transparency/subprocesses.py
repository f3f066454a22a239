# SPDX-License-Identifier: Apache-2.0
"""Every way that subprocess and os start a program; what the child sees of descriptors and signals."""
import os
import signal
import subprocess
import sys
import tempfile

CHILD = """
import os, signal, sys
def named(name):
    text = next(line.split()[1] for line in open("/proc/self/status") if line.startswith(name))
    return "%x" % (int(text, 16) & ~(1 << 60))  # the kernel's picture of that one differs
last = signal.SIGRTMAX - 3
print(last in signal.pthread_sigmask(signal.SIG_BLOCK, []), signal.getsignal(last), last in signal.sigpending())
present = [fd for fd in range(3, 100) if os.path.exists("/proc/self/fd/%d" % fd) and os.get_inheritable(fd)]
print(sys.argv[1:], len(present), named("SigBlk"), named("SigIgn"), named("SigPnd"), os.getsid(0) == os.getpid(), os.getcwd())
sys.exit(9)
"""


def show(name, *words, **how):
    result = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **how)
    print(name, result.returncode, result.stdout.decode(), flush=True)


def python(name, **how):
    show(name, sys.executable, "-c", CHILD, name, **how)


def spawned(function, *arguments, **how):
    sys.stdout.flush()
    pid = function(*arguments, **how)
    print(os.waitpid(pid, 0)[1], flush=True)


def at_all_signals():
    signal.pthread_sigmask(signal.SIG_BLOCK, set(range(1, signal.NSIG)) - {32, 33})


reader, writer = os.pipe()
os.set_inheritable(writer, True)
python("plain")
python("descriptors kept", close_fds=False)
python("one descriptor passed", pass_fds=[reader])
python("a function first", preexec_fn=at_all_signals)
python("a session of its own", start_new_session=True)
python("another directory", cwd="/")
python("signals not restored", restore_signals=False)
python("no environment", env={})
python("a poor environment", env={"LD_PRELOAD": "", "A": "b"})
show("the shell", "echo $0 $$_ | tr -d 0-9; exit 3", shell=True)
show("another program", "/bin/true")
show("several", "sh", "-c", "ls / | head -1; bash -c 'echo $BASH_SUBSHELL; trap'; kill -KILL $$")
try:
    show("none", "/nonexistent")
except FileNotFoundError as error:
    print(error)
show("the kernel's picture", "grep", "-E", "Sig(Blk|Ign|Cgt)", "/proc/self/status", preexec_fn=at_all_signals)
print(os.system("exit 5"), os.popen("echo from a pipe").read())
environment = dict(os.environ)
spawned(os.posix_spawn, sys.executable, [sys.executable, "-c", CHILD, "posix_spawn"], environment)
spawned(os.posix_spawn, sys.executable, [sys.executable, "-c", CHILD, "masked"], environment,
        setsigmask=[signal.SIGUSR1, signal.SIGRTMAX - 3], setsigdef=[signal.SIGINT])
spawned(os.posix_spawnp, "sh", ["sh", "-c", "exit 6"], environment)
spawned(os.spawnv, os.P_NOWAIT, "/bin/sh", ["sh", "-c", "exit 7"])
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1, signal.SIGRTMAX - 3])
spawned(os.posix_spawn, sys.executable, [sys.executable, "-c", CHILD, "a mask"], environment)
signal.signal(signal.SIGRTMAX - 3, signal.SIG_IGN)
python("a mask and an ignored signal", preexec_fn=int)
show("the kernel's picture", "grep", "-E", "Sig(Blk|Ign|Cgt)", "/proc/self/status", preexec_fn=int)
with tempfile.TemporaryFile() as file:
    subprocess.call([sys.executable, "-c", CHILD, "to a file"], stdout=file, preexec_fn=int)
    file.seek(0)
    print(file.read())
pid = os.fork()
if pid == 0:
    try:
        os.execv("/nonexistent", ["x"])
    except OSError as error:
        print(error, sum(range(100000)), sorted(map(int, signal.pthread_sigmask(signal.SIG_BLOCK, []))), flush=True)
    os.execve(sys.executable, [sys.executable, "-c", CHILD, "exec at last"], environment)
print(os.waitpid(pid, 0)[1])
