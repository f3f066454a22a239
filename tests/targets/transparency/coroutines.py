# SPDX-License-Identifier: Apache-2.0
"""Everything that a program can see of its coroutines, tasks and loops, told on stdout."""

import asyncio
import contextvars
import gc
import inspect
import sys
import types
import warnings

variable = contextvars.ContextVar("variable", default="unset")
seen = []


def tell(*what):
    seen.append(" ".join(map(str, what)))


async def named(name):
    variable.set(name)
    await asyncio.sleep(0.01)
    tell(asyncio.current_task().get_name(), variable.get())


async def cancelled(number):
    try:
        await asyncio.sleep(10)
    except asyncio.CancelledError:
        tell("cancelled", number)
        raise


async def order():
    tasks = [asyncio.ensure_future(cancelled(i)) for i in range(5)]
    await asyncio.sleep(0)
    tell("all", sorted(task.get_name() for task in asyncio.all_tasks()) and len(asyncio.all_tasks()))
    for task in (tasks[3], tasks[0], tasks[4], tasks[1], tasks[2]):
        task.cancel()
    results = await asyncio.gather(*tasks, return_exceptions=True)
    tell([type(result).__name__ for result in results])


async def failing():
    await asyncio.sleep(0)
    raise KeyError("from inside")


async def exceptions():
    try:
        await failing()
    except KeyError as error:
        frames = []
        traceback = error.__traceback__
        while traceback:
            frames.append((traceback.tb_frame.f_code.co_name, traceback.tb_lineno))
            traceback = traceback.tb_next
        tell(frames, error.__context__)
    try:
        await asyncio.wait_for(asyncio.sleep(10), 0.01)
    except asyncio.TimeoutError as error:
        tell(type(error).__name__)


@types.coroutine
def bare_yield(value):
    got = yield value
    return got


async def inner():
    try:
        return await bare_yield("first") + await bare_yield("second")
    finally:
        tell("inner ends")


async def outer():
    return await inner()


def by_hand():
    coroutine = outer()
    tell(inspect.getcoroutinestate(coroutine))
    tell(coroutine.send(None), inspect.getcoroutinestate(coroutine), coroutine.cr_await.__name__)
    tell(coroutine.send(1))
    try:
        coroutine.send(2)
    except StopIteration as stop:
        tell("returned", stop.value)
    closed = outer()
    closed.send(None)
    closed.close()
    thrown = outer()
    thrown.send(None)
    try:
        thrown.throw(ValueError("thrown"))
    except ValueError as error:
        tell(error)
    dropped = outer()
    dropped.send(None)
    del dropped
    gc.collect()
    try:
        coroutine.send(None)
    except RuntimeError as error:
        tell(error)
    try:
        outer().send(1)
    except TypeError as error:
        tell(error)


async def generate():
    try:
        for i in range(3):
            await asyncio.sleep(0)
            yield i
    finally:
        tell("generator ends")


async def generators():
    async for value in generate():
        if value == 1:
            break
    tell([value async for value in generate()])
    generator = generate()
    tell(await generator.asend(None))
    await generator.aclose()


def methods():
    kind = type(outer)
    names = ("send", "throw", "close", "__await__")
    coroutine = outer()
    tell(kind.__name__, [type(getattr(type(coroutine), name)).__name__ for name in names])
    tell([getattr(coroutine, name).__qualname__ for name in names], repr(type(coroutine).send))
    tell([getattr(coroutine, name).__doc__ for name in names])
    coroutine.close()


async def nest_by_hand():
    """A coroutine that is driven inside a task."""
    coroutine = outer()
    tell("nested", coroutine.send(None))
    await asyncio.sleep(0)
    tell("nested", coroutine.send("a"))
    await asyncio.sleep(0)
    coroutine.close()


async def main():
    asyncio.get_running_loop().slow_callback_duration = 3600  # on a crowded machine any callback may be slow
    await asyncio.gather(*[named("task %d" % i) for i in range(3)])
    await asyncio.create_task(named("own"), name="a näme")
    await order()
    await exceptions()
    await generators()
    await nest_by_hand()
    tell(sys.getrefcount(asyncio.current_task().get_coro()))
    pending = asyncio.ensure_future(asyncio.sleep(10))
    await asyncio.sleep(0)
    tell("leaves", not pending.done())


for debug in (False, True):
    asyncio.run(main(), debug=debug)
by_hand()
methods()
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    named("never awaited")
    gc.collect()
    tell([str(warning.message) for warning in caught])
sys.stdout.write("\n".join(seen) + "\n")
