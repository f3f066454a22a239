# SPDX-License-Identifier: Apache-2.0
"""The same program bare and profiled, and what may differ between the two."""

import json
import pathlib

import profiling

TARGETS = profiling.TARGETS / "transparency"
VARIABLES = ("LD_PRELOAD", "SCALENE_RUN_DIR")  # what children need
SIGNAL_BIT = 1 << 60  # the one signal that is the profiler's, in the kernel's picture

# What the profile admits: a hook that taxes audited calls, a call that was interrupted.
UNWANTED = ("audit hook", "interrupted")


def strip(run):
    """Takes our closing lines off what the program wrote to stderr."""
    text, mark, ours = run.stderr.rpartition("\nScalene: profile saved to")
    assert mark, "no closing line in: " + run.stderr
    run.stderr = text.split("\nScalene: ")[0]
    return run


def both(python, *arguments, folder, options=(), prefix=("---",), **how):
    """Runs `python arguments...` bare and profiled in the same folder, each run from an equal state."""
    bare = profiling.bare(python, *arguments, cwd=folder, **how)
    out = pathlib.Path(folder) / "profile.json"
    if out.exists():
        out.unlink()
    profiled = profiling.profile(python, *prefix, *arguments, out=out, options=options, cwd=folder, **how)
    return bare, strip(profiled)


def assert_same(bare, profiled):
    assert profiled.stdout == bare.stdout
    assert profiled.stderr == bare.stderr
    assert profiled.status == bare.status
    notes = profiled.profile["quality"]["notes"]
    assert not [note for note in notes if any(words in note for words in UNWANTED)]


def run_same(python, *arguments, **how):
    bare, profiled = both(python, *arguments, **how)
    assert_same(bare, profiled)
    return profiled


def inside(run):
    assert run.status == 0, run.stderr
    return json.loads(run.stdout)


def without_ours(seen):
    """What the program sees, without the two variables, the one signal, the builtin `profile` and its module, which
    finds the Python package."""
    for name in VARIABLES:
        seen["environment"].pop(name, None)
    seen["caught"] &= ~SIGNAL_BIT
    seen["meta_path"] = [finder for finder in seen["meta_path"] if finder != "<module 'scalene._agent'>"]
    seen["builtins"] = [name for name in seen["builtins"] if name != "profile"]
    return seen

