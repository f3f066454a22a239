# SPDX-License-Identifier: Apache-2.0
"""Scalene, a CPU, GPU and memory profiler for Python, as a program sees it: docs/python-api.md.

Importing this costs next to nothing and changes nothing: what is more is loaded when it is used.
"""

from __future__ import annotations

from scalene._agent import profile

TYPE_CHECKING = False  # typing's own would load that module
if TYPE_CHECKING:
    from typing import Any

    from scalene import scalene_profiler
    from scalene._load import load

__version__ = "3.0.0"
__all__ = ["load", "profile", "scalene_profiler"]


def __getattr__(name: str) -> Any:
    if name == "load":
        from scalene._load import load

        return load
    if name == "scalene_profiler":
        import importlib

        return importlib.import_module("scalene.scalene_profiler")
    raise AttributeError(f"module 'scalene' has no attribute {name!r}")


def load_ipython_extension(shell: Any) -> None:
    """`%load_ext scalene` calls this."""
    from scalene._magics import register

    register(shell)
