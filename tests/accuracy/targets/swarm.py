# SPDX-License-Identifier: Apache-2.0
"""Many threads and many children that each compute for three milliseconds, on two lines 1:2.

usage: swarm.py THREADS CHILDREN
"""

import os
import struct
import threading

import recording

THREADS = recording.option(1, 1000)
CHILDREN = recording.option(2, 200)
RECORD = struct.Struct("ddd")
told = []


def in_thread():
    a = recording.cpu()
    for i in ONE: i * i  # noqa: E701
    b = recording.cpu()
    for i in TWO: i * i  # noqa: E701
    told.append((b - a, recording.cpu() - b, recording.cpu()))


def in_child():
    a = recording.cpu()
    for i in ONE: i * i  # noqa: E701
    b = recording.cpu()
    for i in TWO: i * i  # noqa: E701
    return b - a, recording.cpu() - b, recording.cpu()


def run_threads():
    for _ in range(THREADS // 20):
        threads = [threading.Thread(target=in_thread) for _ in range(20)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    return [sum(column) for column in zip(*told)]


def run_children():
    reader, writer = os.pipe()
    answers = []
    for _ in range(CHILDREN):
        pid = os.fork()
        if pid == 0:
            os.write(writer, RECORD.pack(*in_child()))
            os._exit(0)
        os.waitpid(pid, 0)
        answers.append(RECORD.unpack(os.read(reader, RECORD.size)))
    return [sum(column) for column in zip(*answers)]


rounds = recording.rounds_of(0.001)
ONE, TWO = range(rounds), range(2 * rounds)
recording.tell(threads=run_threads(), children=run_children(),
               thread_line=in_thread.__code__.co_firstlineno + 2, child_line=in_child.__code__.co_firstlineno + 2)
