# SPDX-License-Identifier: Apache-2.0
"""What the agent asks of a program's process and shows to it: libc alone, nothing newer than 2.28,
and no name visible but those of the hook list and scalene_*."""

import os
import re
import subprocess
import sys

import checking

AGENT = os.path.join(checking.BUILD, "libscalene-agent.so")
NEWEST = (2, 28)
THREAD_BYTES = 1024  # loaded into a running program it has 1664 at most, with all others that come late
LIBRARIES = {"libc.so.6", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}
SYMBOL = re.compile(r"^\s*\d+:\s+\w+\s+\w+\s+(?P<type>\w+)\s+(?P<bind>\w+)\s+(?P<visibility>\w+)\s+(?P<section>\w+)"
                    r"\s+(?P<name>[^\s@]+)(?:@+(?P<version>\S+))?")


def readelf(*options):
    return subprocess.check_output(["readelf", "-W", *options], text=True, env={**os.environ, "LC_ALL": "C"})


def symbols(path):
    return [match for match in map(SYMBOL.match, readelf("--dyn-syms", path).splitlines()) if match]


def allowed_imports():
    """Names and whether each must be weak."""
    lines = (line.split("#")[0].split() for line in checking.read("tests/architecture/agent_imports").splitlines())
    return {words[0]: "weak" in words[1:] for words in lines if words}


def hooked_names():
    """What HOOK_LIST names, asked of the preprocessor."""
    question = '#include "agent/hook_list.h"\n#define X(type, name, parameters, arguments, version) hook:name\nHOOK_LIST(X)\n'
    command = [os.environ.get("CC", "cc"), "-E", "-P", "-D_GNU_SOURCE", "-Isrc", "-"]
    answer = subprocess.check_output(command, cwd=checking.ROOT, text=True, input=question)
    return set(re.findall(r"\bhook:(\w+)", answer))


def version_problem(symbol):
    version = symbol["version"] or ""
    number = re.match(r"GLIBC_(\d+)\.(\d+)", version)
    if version and not number:
        return "%s@%s is not the C library's" % (symbol["name"], version)
    if number and (int(number[1]), int(number[2])) > NEWEST:
        return "%s@%s is newer than GLIBC_%d.%d" % (symbol["name"], version, *NEWEST)
    return None


def import_problems(imports):
    allowed = allowed_imports()
    for symbol in imports:
        name = symbol["name"]
        problem = version_problem(symbol)
        if problem:
            yield "import " + problem
        if name not in allowed:
            yield "import of %s is not on the list (tests/architecture/agent_imports)" % name
        elif allowed[name] and symbol["bind"] != "WEAK":
            yield "import of %s is not weak: glibc before 2.34 has it in another library" % name


def export_problems(exports):
    hooked = hooked_names()
    shown = {symbol["name"] for symbol in exports}
    for name in sorted(shown - hooked):
        if not name.startswith("scalene_"):
            yield "export of %s, which is not on the hook list" % name
    for name in sorted(hooked - shown):
        yield "%s is on the hook list and not exported" % name


def loading_problems():
    dynamic = readelf("-d", AGENT)
    for name in re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic):
        if name not in LIBRARIES:
            yield "it needs %s" % name
    segments = readelf("-l", AGENT)
    thread_bytes = sum(int(size, 16) for size in re.findall(r"^\s+TLS(?:\s+\S+){4}\s+(0x\w+)", segments, re.MULTILINE))
    if not 0 < thread_bytes <= THREAD_BYTES:
        yield "its thread-local data take %d bytes, %d at most" % (thread_bytes, THREAD_BYTES)
    if "TEXTREL" in dynamic:
        yield "its code is changed when it is loaded"
    if re.search(r"GNU_STACK.*RWE", segments):
        yield "it asks for an executable stack"


def own_call_problems():
    """What agent/own_calls.h names is called by the agent under these names only by mistake: it would
    count what it maps and copies itself."""
    called = {words[4].split("@")[0] for words in map(str.split, readelf("-r", AGENT).splitlines()) if len(words) > 4}
    wrapped = set(re.findall(r"\b__wrap_(\w+)\(", checking.read("src/agent/own_calls.h")))
    for name in sorted(called & wrapped):
        yield "it calls its own hook of %s" % name


if not os.path.exists(AGENT):
    checking.end("agent", ["%s is not built" % AGENT])
every = symbols(AGENT)
undefined = [symbol for symbol in every if symbol["section"] == "UND"]
defined = [symbol for symbol in every if symbol["section"] not in ("UND", "ABS") and symbol["visibility"] == "DEFAULT"
           and symbol["bind"] in ("GLOBAL", "WEAK")]
if len(defined) < 10 or not hooked_names():
    print("check_agent.py cannot read %s" % AGENT, file=sys.stderr)
    sys.exit(1)
checking.end("agent", [*loading_problems(), *own_call_problems(), *import_problems(undefined), *export_problems(defined)])
