# SPDX-License-Identifier: Apache-2.0
"""The program's own timers, alarms and signals, all of them under a load that is sampled."""
import ctypes
import os
import signal
import time

counts = {}


def count(number, frame):
    counts[number] = counts.get(number, 0) + 1


def burn(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        sum(range(100))


def until(number, wanted):
    end = time.monotonic() + 20
    while counts.get(number, 0) < wanted and time.monotonic() < end:
        burn(0.01)


class SigEvent(ctypes.Structure):
    _fields_ = [("value", ctypes.c_void_p), ("signo", ctypes.c_int), ("notify", ctypes.c_int),
                ("padding", ctypes.c_char * 48)]


class TimerSpec(ctypes.Structure):
    _fields_ = [("interval_s", ctypes.c_long), ("interval_ns", ctypes.c_long),
                ("value_s", ctypes.c_long), ("value_ns", ctypes.c_long)]


def posix_timer(number, clock):
    """A timer of the program's own that fires once; then its state, and its end."""
    try:
        rt = ctypes.CDLL("librt.so.1", use_errno=True)
        rt.timer_create
    except (OSError, AttributeError):
        rt = ctypes.CDLL(None, use_errno=True)
    counts.clear()
    timer = ctypes.c_void_p()
    event = SigEvent(signo=number, notify=0)
    made = rt.timer_create(clock, ctypes.byref(event), ctypes.byref(timer))
    left = TimerSpec()
    rt.timer_settime(timer, 0, ctypes.byref(TimerSpec(value_ns=3000000)), None)
    until(number, 1)
    rt.timer_gettime(timer, ctypes.byref(left))
    overrun = rt.timer_getoverrun(timer)
    return [made, left.value_s, left.value_ns, overrun, rt.timer_delete(timer)]


for which, number in ((signal.ITIMER_REAL, signal.SIGALRM), (signal.ITIMER_VIRTUAL, signal.SIGVTALRM),
                      (signal.ITIMER_PROF, signal.SIGPROF)):
    counts.clear()
    signal.signal(number, count)
    signal.setitimer(which, 0.02, 0.02)
    until(number, 3)
    print(int(number), counts.get(number, 0) >= 3, signal.getitimer(which)[1] > 0)
    signal.setitimer(which, 0)
    print(signal.getitimer(which))

counts.clear()
signal.alarm(1)
until(signal.SIGALRM, 1)
print("alarm", counts, signal.alarm(0))

# Every real-time signal is the program's, the last ones included.
for number in range(signal.SIGRTMIN, signal.SIGRTMAX + 1):
    counts.clear()
    before = signal.signal(number, count)
    os.kill(os.getpid(), number)
    until(number, 1)
    print(int(number), before, counts, signal.getsignal(number) is count)
    print(posix_timer(number, time.CLOCK_MONOTONIC) if number % 7 == 5 else "")
    print(posix_timer(number, time.CLOCK_PROCESS_CPUTIME_ID) if number % 7 == 5 else "")
    signal.signal(number, signal.SIG_DFL)

everything = set(range(1, signal.NSIG)) - {32, 33}
signal.pthread_sigmask(signal.SIG_BLOCK, everything)
print(sorted(map(int, signal.pthread_sigmask(signal.SIG_BLOCK, []))))
print(signal.sigtimedwait(everything - {signal.SIGCHLD}, 0.1))
burn(0.1)
print(sorted(map(int, signal.sigpending())))
for number in (signal.SIGUSR1, signal.SIGRTMIN, signal.SIGRTMAX - 3, signal.SIGRTMAX):
    os.kill(os.getpid(), number)
    burn(0.03)
    print(sorted(map(int, signal.sigpending())), int(signal.sigwait(everything)))
print(sorted(map(int, signal.sigpending())))

pid = os.fork()
if pid == 0:
    print(sorted(map(int, signal.pthread_sigmask(signal.SIG_BLOCK, []))), flush=True)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, everything)
    burn(0.05)
    os.kill(os.getpid(), signal.SIGRTMAX - 3)
    os._exit(0)
print(os.waitpid(pid, 0)[1])

with open("/dev/null") as null:
    libc = ctypes.CDLL(None, use_errno=True)
    mask = (ctypes.c_uint64 * 16)(*[2 ** 64 - 1] * 16)
    fd = libc.signalfd(-1, mask, 0o4000)
    burn(0.1)
    os.kill(os.getpid(), signal.SIGUSR2)
    data = os.read(fd, 128 * 4)
    print(len(data), int.from_bytes(data[:4], "little"))
