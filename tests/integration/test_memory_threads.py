# SPDX-License-Identifier: Apache-2.0
"""Memory of threads that Python knows nothing of: their bytes, and the native stacks that these come from."""

import subprocess

import pytest

LIBRARY = r"""
#include <pthread.h>
#include <stdlib.h>
#include <threads.h>

#define OUTSIDE __attribute__((noinline, visibility("default")))

volatile char touched;

OUTSIDE void allocate_much(long blocks, long size)
{
    for (long i = 0; i < blocks; i++) {
        volatile char *block = malloc(size);
        touched = block[0] = 1;
        free((void *)block);
    }
}

OUTSIDE void *of_pthreads(void *unused)
{
    allocate_much(50, 4l << 20);
    touched = 2;
    return unused;
}

OUTSIDE int of_c11(void *unused)
{
    (void)unused;
    allocate_much(50, 4l << 20);
    touched = 3;
    return 0;
}

void begin_of_pthreads(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, of_pthreads, NULL);
    pthread_join(thread, NULL);
}

void begin_of_c11(void)
{
    thrd_t thread;
    thrd_create(&thread, of_c11, NULL);
    thrd_join(thread, NULL);
}
"""
MADE_MB = 200


def native_stacks(run, library):
    """[(names of the library's frames, outermost first; names of all frames; MB)] of stacks without Python."""
    for frames, mb in run.profile["memory_stacks"]:
        if all(frame["kind"] == "native" for frame in frames):
            yield (tuple(frame["display_name"] for frame in frames if frame["filename_or_module"] == str(library)),
                   [frame["filename_or_module"] for frame in frames], mb)


@pytest.mark.parametrize("start", ["of_pthreads", "of_c11"])
def test_native_threads_have_their_stacks_and_all_of_their_bytes(python, program, profile, tmp_path, monkeypatch, start):
    """Preloaded, so that its place is known however late its stacks are looked at, which few records come before."""
    library = tmp_path / "libnative.so"
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-pthread", "-xc", "-", "-o", library], input=LIBRARY, text=True,
                   check=True)
    monkeypatch.setenv("LD_PRELOAD", str(library))
    run = profile(python, "---", "-S", program("import ctypes\nctypes.CDLL(None).begin_%s()\n" % start))
    # malloc adds a page to a block that it maps; what else threads have is their start's, below a stretch or two.
    assert MADE_MB <= run.profile["native_allocations_mb"] <= 1.01 * MADE_MB
    stacks = list(native_stacks(run, library))
    assert not [files for _, files, _ in stacks if any("libscalene-agent" in file for file in files)]
    assert sum(mb for names, _, mb in stacks if names == (start, "allocate_much")) >= MADE_MB, stacks
