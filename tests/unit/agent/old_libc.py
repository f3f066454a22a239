# SPDX-License-Identifier: Apache-2.0
"""usage: old_libc.py LIBRARY AGENT FOLDER NAME...: the programs of FOLDER, linked against an old C
library, are the same with the hooks as bare; one without threads loads the whole agent."""

import os
import subprocess
import sys
import tempfile

import comparing

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
SKIPPED = 77
PARTS = ("probe.c", "signal_probe.c", "map_probe.c")
PLAIN = '#include <unistd.h>\nint main(void) { char c; return (int)read(0, &c, 1) == 0 ? 7 : 1; }\n'


def old_libc():
    result = subprocess.run([os.path.join(ROOT, "tools", "fetch-old-libc")], stdout=subprocess.PIPE,
                            text=True, check=False)
    return result.stdout.strip() if result.returncode == 0 else None


def link(libc, sources, output, libraries):
    headers = os.path.join(libc, "usr/lib/x86_64-linux-gnu")
    runtime = os.path.join(libc, "lib/x86_64-linux-gnu")
    subprocess.check_call([
        os.environ.get("CC", "cc"), "-std=gnu17", "-D_GNU_SOURCE", "-w", "-O1", "-fno-builtin", "--sysroot=" + libc,
        "-B" + headers, "-L" + headers, *sources, "-o", output,
        "-Wl,--dynamic-linker=%s/ld-linux-x86-64.so.2" % runtime,
        "-Wl,--disable-new-dtags,-rpath," + runtime, *libraries])


def plain_program_loads(libc, folder, agent):
    source = os.path.join(folder, "plain.c")
    with open(source, "w", encoding="utf-8") as file:
        file.write(PLAIN)
    link(libc, [source], source[:-2], [])
    lines = comparing.run([source[:-2]], agent)
    if lines != ["ended with 7"]:
        print("a program without threads, with the whole agent:", lines)
    return lines == ["ended with 7"]


def main():
    library, agent, folder, *names = sys.argv[1:]
    libc = old_libc()
    if not libc:
        print("the old C library could not be fetched")
        return SKIPPED
    with tempfile.TemporaryDirectory() as scratch:
        is_good = plain_program_loads(libc, scratch, agent)
        for name in names:
            program = os.path.join(scratch, name)
            sources = [os.path.join(folder, part) for part in (name + ".c", *PARTS)]
            link(libc, sources, program, ["-lpthread", "-ldl", "-lrt"])
            is_good = comparing.compare(name, [program], library) and is_good
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
