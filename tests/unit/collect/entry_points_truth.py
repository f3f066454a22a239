# SPDX-License-Identifier: Apache-2.0
"""Prints what a running interpreter says about its own C functions, a line each: address in the
file, role, name. The first line is the file. Runs on Python 3.8 and later, with ctypes."""

import ctypes
import sys
import types

POINTER = ctypes.c_void_p
SLOTS = {"dealloc": [48], "entry": [128, 296, 312, 400]}
MODULES = "itertools functools collections operator re _sre _io time gc posix".split()


def word(address):
    return POINTER.from_address(address).value or 0


def text(address):
    return ctypes.string_at(address).decode() if address else ""


def find_image():
    """The file that holds the interpreter's code, where it is mapped, and its mappings of code."""
    address = ctypes.cast(ctypes.pythonapi.PyType_GenericNew, POINTER).value
    with open("/proc/self/maps") as maps:
        lines = [line.split(None, 5) for line in maps]
    ranges = [([int(part, 16) for part in f[0].split("-")], f[1], f[5].strip()) for f in lines if len(f) == 6]
    path = next(name for (low, high), _, name in ranges if low <= address < high)
    base = min(low for (low, _), _, name in ranges if name == path)
    code = [bounds for bounds, rights, name in ranges if name == path and "x" in rights]
    with open(path, "rb") as file:
        is_fixed = file.read(18)[16] == 2  # ET_EXEC: addresses are the file's
    return path, 0 if is_fixed else base, code


def every_type():
    seen = set()
    todo = [object]
    while todo:
        kind = todo.pop()
        if kind not in seen:
            seen.add(kind)
            todo.extend(type.__subclasses__(kind))
    return seen


def functions():
    """(address, name) of the C function behind each built-in function and method."""
    found = {}
    for kind in every_type():
        for value in vars(kind).values():
            if type(value) in (type(list.append), type(vars(dict)["fromkeys"])):
                found[word(id(value) + 40)] = kind.__name__
    for name in MODULES:
        for value in vars(__import__(name)).values():
            if isinstance(value, types.BuiltinFunctionType):
                found[word(id(value) + 16)] = name
    for value in vars(__import__("builtins")).values():
        if isinstance(value, types.BuiltinFunctionType):
            found[word(id(value) + 16)] = "builtins"
    for method, owner in found.items():
        yield word(method + 8), owner + "." + text(word(method))


def slots():
    class Python:
        def __init__(self):
            pass

        def __new__(cls):
            return object.__new__(cls)

        def __call__(self):
            pass

    shared = {word(id(kind) + offset) for kind in (object, Python) for offset in SLOTS["entry"]}
    shared.update(word(id(kind) + 128) for kind in (types.FunctionType, types.MethodType, type))
    for name in ("PyType_GenericNew", "PyVectorcall_Call"):
        shared.add(ctypes.cast(getattr(ctypes.pythonapi, name), POINTER).value)
    for kind in every_type():
        is_heap = kind.__flags__ & (1 << 9)
        for offset in [] if is_heap else SLOTS["entry"]:
            address = word(id(kind) + offset)
            if address not in shared and not issubclass(kind, BaseException):
                yield "entry", address, f"{kind.__name__}@{offset}"
        for offset in [] if is_heap else SLOTS["dealloc"]:
            yield "dealloc", word(id(kind) + offset), f"{kind.__name__}@{offset}"


def main():
    path, base, code = find_image()
    print(path, sys.version_info[1])
    facts = [("entry", address, name) for address, name in functions() if ".__" not in name]
    for role, address, name in facts + list(slots()):
        if any(low <= address < high for low, high in code):
            print(f"{address - base:x} {role} {name.replace(' ', '_')}")


main()
