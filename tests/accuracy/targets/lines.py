# SPDX-License-Identifier: Apache-2.0
"""Lines whose CPU time is known: each stands between two readings of the thread's own clock.

A line takes a tenth of a millisecond or more, a reading half a microsecond. The lines follow one
another much faster than samples do, so a sample that is not where the time is spent shows.

usage: lines.py SECONDS
"""

import contextlib
import functools
import random
import sys

import recording

SECONDS = recording.option(1, 5.0)
ONE = range(4_000)
TWO = range(8_000)
THREE = range(12_000)
HALF = 2_000
clock = recording.cpu
spent = {}
groups = {}


def book(group, before, after, line):
    spent[line] = spent.get(line, 0.0) + after - before
    groups[line] = group


def here():
    return sys._getframe(1).f_lineno


def equal():
    a = clock()
    for i in ONE: x = i * i  # noqa: E701
    b, line = clock(), here() - 1
    for i in ONE: x = i * i  # noqa: E701
    c = clock()
    for i in ONE: x = i * i  # noqa: E701
    d = clock()
    book("equal lines", a, b, line)
    book("equal lines", b, c, line + 2)
    book("equal lines", c, d, line + 4)
    return x


def one_two_three():
    a = clock()
    for i in ONE: x = i * i  # noqa: E701
    b, line = clock(), here() - 1
    for i in TWO: x = i * i  # noqa: E701
    c = clock()
    for i in THREE: x = i * i  # noqa: E701
    d = clock()
    book("lines 1:2:3", a, b, line)
    book("lines 1:2:3", b, c, line + 2)
    book("lines 1:2:3", c, d, line + 4)
    return x


def callee():
    a = clock()
    for i in TWO: x = i + 1  # noqa: E701
    book("caller and callee", a, clock(), here() - 1)
    return x


def caller():
    a = clock()
    x = sum(i for i in ONE)
    book("caller and callee", a, clock(), here() - 1)
    return x + callee() + callee()


def comprehensions():
    a = clock()
    x = [i * 2 for i in ONE]
    b, line = clock(), here() - 1
    y = {i: i
         for i in ONE
         if i & 1}
    c = clock()
    book("comprehension", a, b, line)
    book("comprehension over lines", b, c, (line + 2) * 1000 + 3)
    return x, y


def produce():
    for _ in range(2):
        a = clock()
        for i in ONE: x = i * 3  # noqa: E701
        book("generator", a, clock(), here() - 1)
        yield x


def consume():
    for x in produce():
        a = clock()
        for i in ONE: x = i * 3  # noqa: E701
        book("generator", a, clock(), here() - 1)
    return x


def decorator(function):
    @functools.wraps(function)
    def wrapper():
        a = clock()
        for i in ONE: x = i - 1  # noqa: E701
        book("decorator", a, clock(), here() - 1)
        return x + function()

    return wrapper


@decorator
def decorated():
    a = clock()
    for i in TWO: x = i - 1  # noqa: E701
    book("decorator", a, clock(), here() - 1)
    return x


def read(line, a, _first, b, _second, c, _third, d):
    book("multi-line call", a, b, line + 1)
    book("multi-line call", b, c, line + 3)
    book("multi-line call", c, d, line + 5)


def multi_line_call():
    read(
        here(), clock(),
        sum(i for i in ONE),
        clock(),
        sorted(TWO, key=float),
        clock(),
        [i for i in TWO],
        clock(),
    )


def try_statement():
    try:
        a = clock()
        for i in ONE: x = i ^ 1  # noqa: E701
        b, line = clock(), here() - 1
        raise ValueError
    except ValueError:
        c = clock()
        for i in ONE: x = i ^ 1  # noqa: E701
        d = clock()
    finally:
        e = clock()
        for i in TWO: x = i ^ 1  # noqa: E701
        f = clock()
    book("try", a, b, line)
    book("try", c, d, line + 5)
    book("try", e, f, line + 9)
    return x


@contextlib.contextmanager
def manager(x):
    a = clock()
    for i in ONE: x = i | 1  # noqa: E701
    book("with", a, clock(), here() - 1)
    yield x
    a = clock()
    for i in ONE: x = i | 1  # noqa: E701
    book("with", a, clock(), here() - 1)


def with_statement():
    with manager(0) as x:
        a = clock()
        for i in TWO: x = i | 1  # noqa: E701
        book("with", a, clock(), here() - 1)
    return x


def one_line_loops():
    a, i, line = clock(), 0, here()
    while i < HALF: i += 1  # noqa: E701
    b = clock()
    x = [i for i in ONE]; y = sum(i for i in ONE)  # noqa: E702
    c = clock()
    book("one-line loops", a, b, line + 1)
    book("one-line loops", b, c, line + 3)
    return x, y


def lambda_line():
    work = lambda: [  # noqa: E731
        i % 7 for i in TWO]
    a = clock()
    work()
    book("lambda", a, clock(), (here() - 4) * 1000 + 2)


ALL = [equal, one_two_three, caller, comprehensions, consume, decorated, multi_line_call, try_statement,
       with_statement, one_line_loops, lambda_line]

for function in ALL:
    function()
spent.update(dict.fromkeys(spent, 0.0))
# The kernel looks at timers at its tick, and a round takes about as long as one: in a fixed order ticks might find the
# same lines again and again. What drawing the order takes is no line's, and left out.
start, drawing = clock(), 0.0
while clock() < start + SECONDS:
    before = clock()
    random.shuffle(ALL)
    drawing += clock() - before
    for function in ALL:
        function()
used = clock() - start - drawing
# A number of a thousand and more is a first line and how many there are.
rows = [{"group": groups[line], "cpu_s": cpu_s,
         "first": line // 1000 if line > 999 else line,
         "last": line // 1000 + line % 1000 - 1 if line > 999 else line} for line, cpu_s in spent.items()]
recording.tell(lines=rows, cpu_s=used)
