# SPDX-License-Identifier: Apache-2.0
"""Compares the outline with Python's own parser over the standard library.

usage: check_outline.py OUTLINE_PRINT [FILES]

For every line of every file: the innermost loop, function or class, the outermost loop, the
enclosing function; for every code object: its qualified name.
"""

import ast
import pathlib
import subprocess
import sys
import sysconfig
import types
import warnings

LOOPS = (ast.For, ast.While, ast.AsyncFor)
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
TOLD = (*SCOPES, ast.With, ast.AsyncWith, ast.If)


def fill(target, node, value):
    for line in range(node.lineno, node.end_lineno + 1):
        target[line] = value


def regions(tree, count):
    """Loops before functions before classes; of one kind, the innermost."""
    result = {line: (line, line) for line in range(1, count + 1)}
    for kinds in ((ast.ClassDef,), (ast.FunctionDef,), (ast.For, ast.While)):
        for node in ast.walk(tree):
            if isinstance(node, kinds):
                fill(result, node, (node.lineno, node.end_lineno))
    return result


def functions(tree, count):
    result = {line: (0, 0) for line in range(1, count + 1)}
    for node in ast.walk(tree):
        if isinstance(node, SCOPES):
            fill(result, node, (node.lineno, node.end_lineno))
    return result


def outermost_loops(tree, count):
    """The outermost loop up to the next function or class; lines in no loop are left out."""
    result = {}

    def walk(node, loop):
        for child in ast.iter_child_nodes(node):
            inner = loop
            if isinstance(child, SCOPES):
                inner = None
                for line in range(child.lineno, child.end_lineno + 1):
                    result.pop(line, None)
            elif isinstance(child, LOOPS) and loop is None:
                inner = (child.lineno, child.end_lineno)
                fill(result, child, inner)
            walk(child, inner)

    walk(tree, None)
    return result


def simple_lines(tree, text):
    """Lines of statements without a body that stand on lines of their own."""
    texts = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    lines = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt) and not hasattr(node, "body") and not hasattr(node, "cases"):
            first = texts[node.lineno - 1]
            if len(first) - len(first.lstrip()) == node.col_offset:
                lines.update(range(node.lineno, node.end_lineno + 1))
    return lines


def headers(tree):
    for node in ast.walk(tree):
        if isinstance(node, TOLD):
            yield node.lineno, (node.lineno, node.end_lineno)


def code_objects(code):
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield constant
            yield from code_objects(constant)


def has_global_function(tree):
    """`global f` inside a function makes the name of `def f` there a plain one."""
    return any(isinstance(node, ast.Global) for node in ast.walk(tree))


def named_code(tree, text, path):
    """(first line, name, qualified name) of functions and classes, where Python tells it."""
    if has_global_function(tree):
        return []
    names = {node.name for node in ast.walk(tree) if isinstance(node, SCOPES)}
    lines = {
        min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
        for node in ast.walk(tree)
        if isinstance(node, SCOPES)
    }
    return [
        (code.co_firstlineno, code.co_name, code.co_qualname)
        for code in code_objects(compile(text, path, "exec", dont_inherit=True))
        if hasattr(code, "co_qualname")  # 3.11 and later
        and code.co_name in names
        and code.co_firstlineno in lines
    ]


def compare(path, printer):
    data = path.read_bytes()
    try:
        tree = ast.parse(data, str(path))
        names = named_code(tree, data, str(path))
    except (SyntaxError, ValueError):
        return 0, []
    text = data.decode("utf-8", "replace")
    count = len(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"))
    if text.endswith(("\n", "\r")) or not text:
        count -= 1
    request = "".join(f"{line} {name}\n" for line, name, _ in names)
    output = subprocess.run(
        [printer, str(path)], input=request, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    if len(output) != count + len(names):
        return 1, [f"{path}: {len(output)} lines of output instead of {count + len(names)}"]
    region, function = regions(tree, count), functions(tree, count)
    loops, simple, heads = outermost_loops(tree, count), simple_lines(tree, text), dict(headers(tree))
    problems = []
    for line in range(1, count + 1):
        numbers = [int(word) for word in output[line - 1].split()]
        got = (tuple(numbers[0:2]), tuple(numbers[4:6]))
        if got != (region[line], function[line]):
            problems.append(f"{path}:{line}: {got}, not {(region[line], function[line])}")
        loop = tuple(numbers[2:4])
        if line in loops:
            expected = loops[line]
        elif line in heads:
            expected = heads[line]
        elif line in simple:
            expected = (line, line)
        else:
            continue
        if loop != expected:
            problems.append(f"{path}:{line}: outermost loop {loop}, not {expected}")
    for (line, name, qualified), got in zip(names, output[count:]):
        if got != qualified:
            problems.append(f"{path}:{line}: {name} is {qualified}, not {got}")
    return count, problems


def choose(limit):
    """Every n-th file of the library, the tests of the language's syntax included if there."""
    library = pathlib.Path(sysconfig.get_path("stdlib"))
    files = sorted(p for p in library.rglob("*.py") if "site-packages" not in p.parts)
    files = [path for path in files if path.is_file() and path.stat().st_size > 0]
    step = max(1, len(files) // limit)
    return files[::step]


def main():
    warnings.simplefilter("ignore")
    printer = sys.argv[1]
    paths = [pathlib.Path(arg) for arg in sys.argv[2:]] or choose(300)
    lines, problems = 0, []
    for path in paths:
        count, found = compare(path, printer)
        lines += count
        problems += found
    for problem in problems[:40]:
        print(problem)
    print(f"{len(paths)} files, {lines} lines, {len(problems)} differences")
    return 1 if problems or lines == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
