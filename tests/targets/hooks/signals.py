# SPDX-License-Identifier: Apache-2.0
"""Prints all that Python can see and do of the signal that the agent uses itself."""

import faulthandler
import os
import select
import signal
import subprocess
import sys
import threading
import time

NUMBER = 61
calls = []


def burn(seconds=0.05):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


def note(number, frame):
    calls.append(number)


def show(what, value):
    print(f"{what}: {value}", flush=True)


def names(numbers):
    return sorted(int(number) for number in numbers)


def show_calls(what):
    burn(0.001)
    show(what, calls)
    calls.clear()


def child_mask():
    """What the kernel says in a new program."""
    return subprocess.run(
        ["/bin/grep", "-E", "^Sig(Blk|Ign)", "/proc/self/status"],
        stdout=subprocess.PIPE,
        env={},
        check=False,
    ).stdout.decode()


def test_handlers():
    show("at first", [str(signal.getsignal(number)) for number in signal.valid_signals()])
    for number in signal.valid_signals():
        if number not in (signal.SIGKILL, signal.SIGSTOP):
            signal.signal(number, note)
    burn()
    show_calls("nothing was sent")
    signal.raise_signal(NUMBER)
    os.kill(os.getpid(), NUMBER)
    show_calls("sent")
    show("interrupts", signal.siginterrupt(NUMBER, False))
    for number in signal.valid_signals():
        if number not in (signal.SIGKILL, signal.SIGSTOP):
            signal.signal(number, signal.SIG_DFL)
    show("was default", signal.signal(NUMBER, note))


def test_masks():
    every = signal.valid_signals()
    show("before", names(signal.pthread_sigmask(signal.SIG_BLOCK, every)))
    show("after", names(signal.pthread_sigmask(signal.SIG_BLOCK, [])))
    burn()
    show("pending", names(signal.sigpending()))
    os.kill(os.getpid(), NUMBER)
    signal.raise_signal(signal.SIGUSR1)
    show("pending", names(signal.sigpending()))
    show_calls("blocked")
    show("child", child_mask())
    show("waited for", signal.sigwait(every))
    show("waited for", signal.sigwaitinfo(every).si_signo)
    show("waited for", signal.sigwaitinfo(every).si_signo)
    show("none left", signal.sigtimedwait(every, 0.02))
    threading.Timer(0.05, os.kill, [os.getpid(), NUMBER]).start()
    show("waited for", signal.sigwait([NUMBER]))
    os.kill(os.getpid(), NUMBER)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, every)
    show_calls("unblocked")
    show("child", child_mask())


def test_wakeup():
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    signal.set_wakeup_fd(writer)
    burn()
    show("nothing to read", select.select([reader], [], [], 0.05)[0])
    os.kill(os.getpid(), NUMBER)
    show("woken", select.select([reader], [], [], 1)[0] == [reader])
    show("by", os.read(reader, 100)[0])
    signal.set_wakeup_fd(-1)
    show_calls("and called")


def test_threads():
    seen = []
    signal.pthread_sigmask(signal.SIG_BLOCK, [NUMBER])
    thread = threading.Thread(
        target=lambda: seen.append(names(signal.pthread_sigmask(signal.SIG_BLOCK, [])))
    )
    thread.start()
    thread.join()
    show("thread", seen)
    while len(os.listdir("/proc/self/task")) > 1:
        time.sleep(0.001)
    pid = os.fork()
    if pid == 0:
        show("forked", names(signal.pthread_sigmask(signal.SIG_BLOCK, [])))
        sys.stdout.flush()
        os._exit(0)
    os.waitpid(pid, 0)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [NUMBER])


def test_timers():
    signal.signal(signal.SIGALRM, note)
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    while not calls:  # a machine's host may keep back the core that the timer is on, and not this one
        time.sleep(0.01)
    show_calls("alarm")
    signal.signal(signal.SIGPROF, note)
    signal.setitimer(signal.ITIMER_PROF, 0.05)
    while not calls:  # the kernel looks at it when a tick finds the program at work
        burn(0.01)
    show_calls("prof")
    show("left", signal.getitimer(signal.ITIMER_REAL))


def test_ends():
    signal.signal(NUMBER, signal.SIG_DFL)
    for action in (signal.SIG_DFL, signal.SIG_IGN):
        pid = os.fork()
        if pid == 0:
            signal.signal(NUMBER, action)
            os.kill(os.getpid(), NUMBER)
            burn()
            os._exit(3)
        status = os.waitpid(pid, 0)[1]
        show("child", (os.WIFSIGNALED(status), os.WTERMSIG(status), os.WEXITSTATUS(status)))
    with open(os.devnull, "w") as nowhere:
        faulthandler.register(NUMBER, file=nowhere, chain=False)
        os.kill(os.getpid(), NUMBER)
        burn(0.001)
        faulthandler.unregister(NUMBER)
    show("at last", signal.getsignal(NUMBER))


test_handlers()
test_masks()
test_wakeup()
test_threads()
test_timers()
test_ends()
