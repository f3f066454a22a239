# SPDX-License-Identifier: Apache-2.0
"""Coroutines that have no lines: the outermost of a task, and one between two that have some."""

import asyncio


async def outermost(inner, seconds):
    await inner(seconds)


async def between(seconds):
    await asyncio.sleep(seconds)
