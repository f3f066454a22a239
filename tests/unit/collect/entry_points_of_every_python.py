#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares what entry_points finds in each interpreter's file with what the interpreter says when
it runs, and with the names in its symbol table if it has one."""

import os
import subprocess
import sys

from pythons import every_python

TRUTH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "entry_points_truth.py")
MISSING_MAX = 0.01  # share of the interpreter's own answers that the file may hide

# Where the file has symbols: some of these must be entries, and none of those.
MUST = ["builtin_sum", "builtin_sorted", "builtin_len", "list_append", "list_sort", "unicode_join",
        "unicode_split", "dict_update", "bytes_find|bytes_find_impl", "set_update"]
MUST_NOT = ["float_add", "PyNumber_Add", "object_new", "object_init", "list_subscript",
            "dict_subscript", "type_call", "PyType_GenericNew", "PyVectorcall_Call",
            "_PyFunction_Vectorcall", "function_call", "method_call", "long_add"]
DEALLOCS = ["list_dealloc", "dict_dealloc", "tupledealloc|tuple_dealloc", "set_dealloc"]


def read_roles(checker, path, minor):
    output = subprocess.run([checker, path, minor], stdout=subprocess.PIPE, text=True, check=True).stdout
    lines = [line.split(" ", 3) for line in output.splitlines()]
    return {int(address, 16): (role, name, symbol) for address, role, name, symbol in lines}


def compare(roles, truth):
    """The functions that differ, each once. One function may serve in two roles."""
    wrong = {}
    for line in truth:
        address, role, name = line.split(" ")
        found = roles.get(int(address, 16), ("none",))[0]
        is_other = (found, role) in (("trampoline", "entry"), ("dealloc", "entry"), ("entry", "dealloc"))
        if found != role and not is_other:
            wrong[address] = f"{name} {role} found {found}"
    return list(wrong.values())


def check_symbols(roles):
    by_symbol = {symbol: role for role, _, symbol in roles.values()}
    if not any(symbol.startswith("builtin_") for symbol in by_symbol):
        return []  # stripped
    wrong = []
    for names, role in [(MUST, "entry"), (DEALLOCS, "dealloc")]:
        for alternatives in names:
            if not any(by_symbol.get(name) == role for name in alternatives.split("|")):
                wrong.append(f"{alternatives} is no {role}")
    wrong += [f"{name} is an entry" for name in MUST_NOT if by_symbol.get(name) in ("entry", "trampoline")]
    wrong += [f"{name} is an entry" for name in by_symbol if name.startswith("slot_tp_")]
    return wrong


def check(python, checker):
    result = subprocess.run([python, "-I", TRUTH], stdout=subprocess.PIPE, text=True, check=True)
    first, *truth = result.stdout.splitlines()
    path, minor = first.rsplit(" ", 1)
    roles = read_roles(checker, path, minor)
    missing = compare(roles, truth)
    wrong = check_symbols(roles)
    asked = len({line.split(" ")[0] for line in truth})
    print(f"{python}: {len(roles)} functions, {len(missing)} of {asked} differ: "
          f"{'; '.join(missing)} {'; '.join(wrong)}", flush=True)
    return asked > 500 and len(missing) <= MISSING_MAX * asked and not wrong


def main():
    pythons = every_python()
    failed = [python for python in pythons if not check(python, sys.argv[1])]
    print(f"{len(pythons) - len(failed)} interpreters right, {len(failed)} wrong")
    return 1 if failed or not pythons else 0


sys.exit(main())
