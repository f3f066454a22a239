# SPDX-License-Identifier: Apache-2.0
"""How deep calls go is the same, in the main thread and in one with a small stack."""
import copy
import json
import re
import sys
import threading


def plain(n):
    try:
        return plain(n + 1)
    except RecursionError:
        return n


class Deep:
    def __init__(self, n):
        self.n = n

    def __repr__(self):
        try:
            return repr(Deep(self.n + 1))
        except RecursionError:
            return str(self.n)


def nested(n):
    value = []
    for _ in range(n):
        value = [value]
    return value


def attempt(name, function, *arguments):
    try:
        print(name, len(str(function(*arguments))))
    except RecursionError as error:
        print(name, str(error).split(" (")[0])


def all_of_it():
    for limit in (100, 1000, 3000):
        sys.setrecursionlimit(limit)
        print(limit, plain(0), repr(Deep(0)))
    attempt("json", json.dumps, nested(2000))
    attempt("json", json.loads, "[" * 5000)
    attempt("copy", copy.deepcopy, nested(900))
    attempt("regular expression", re.match, "(a|b)*c", "ab" * 5000)


all_of_it()
threading.stack_size(2 * 1024 * 1024)
thread = threading.Thread(target=all_of_it)
thread.start()
thread.join()
