# SPDX-License-Identifier: Apache-2.0
"""Addresses and ports for servers that cannot choose one themselves."""

import contextlib
import itertools
import os
import socket

PORTS = range(20000, 30000)  # the kernel gives away none of these by itself

_counter = itertools.count()


def own_address():
    """Nobody else's: the middle is the process's, the end this call's."""
    return "127.%d.%d.%d" % (2 + os.getpid() % 250, os.getpid() // 250 % 250, 1 + next(_counter) % 250)


def free_port(address):
    """One that no server of all addresses has."""
    for port in PORTS:
        with socket.socket() as trial, contextlib.suppress(OSError):
            trial.bind((address, port))
            return port
    raise AssertionError("no port is free")
