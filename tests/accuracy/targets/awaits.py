# SPDX-License-Identifier: Apache-2.0
"""Coroutines that wait in every way, each await timed by the program's own clock; and some that compute.

usage: awaits.py SECONDS asyncio|uvloop|threads|anyio|trio|compiled [FOLDER_OF_WHAT_IS_COMPILED]
"""

import asyncio
import contextlib
import sys
import threading
import time

import recording

SECONDS = recording.option(1, 0.3)
WAY = recording.option(2, "asyncio")
rows = {}
lock = threading.Lock()  # of the rows, which several threads may count in


class Watch:
    """Adds up what every task spends in one await, and how many are in it at once."""

    def __init__(self, name, kind="await"):
        line = sys._getframe(1).f_lineno + 1
        self.row = rows.setdefault(name, {"name": name, "kind": kind, "line": line, "await_s": 0.0, "calls": 0,
                                          "occupied_s": 0.0, "now": 0, "peak": 0, "ready_s": 0.0, "stolen_s": 0.0,
                                          "before": (recording.run_delays(), recording.stolen())})

    def __enter__(self):
        row = self.row
        with lock:
            self.start = recording.wall()
            if row["now"] == 0:
                row["since"] = self.start
            row["now"] += 1
            row["peak"] = max(row["peak"], row["now"])

    def __exit__(self, *_):
        row, end = self.row, recording.wall()
        delays, stolen = row["before"]
        with lock:
            row["ready_s"] = recording.delayed_since(delays)
            row["stolen_s"] = recording.stolen() - stolen
            row["await_s"] += end - self.start
            row["calls"] += 1
            row["now"] -= 1
            if row["now"] == 0:
                row["occupied_s"] += end - row["since"]


async def sleeper(part):
    with Watch("sleep"):
        await asyncio.sleep(SECONDS * part)


async def nested():
    await innermost()


async def innermost():
    with Watch("nested"):
        await asyncio.sleep(SECONDS)


async def gathering():
    children = [sleeper(0.5 + i / 4) for i in range(3)]
    with Watch("gather"):
        await asyncio.gather(*children)


async def queues():
    queue = asyncio.Queue()
    asyncio.get_running_loop().call_later(SECONDS, queue.put_nowait, 1)
    with Watch("queue"):
        await queue.get()


async def locks(gate):
    with Watch("lock"):
        await gate.acquire()
    with Watch("hold a lock"):
        await asyncio.sleep(SECONDS / 4)
    gate.release()


async def semaphores(gate):
    with Watch("semaphore"):
        await gate.acquire()
    with Watch("hold a semaphore"):
        await asyncio.sleep(SECONDS / 2)
    gate.release()


async def waits():
    tasks = [asyncio.ensure_future(sleeper(0.5)) for _ in range(2)]
    with Watch("wait"):
        await asyncio.wait(tasks)


async def groups():
    if not hasattr(asyncio, "TaskGroup"):
        return
    with Watch("group"):
        async with asyncio.TaskGroup() as group:
            group.create_task(sleeper(0.5))
            group.create_task(sleeper(1.0))


async def timeouts():
    if not hasattr(asyncio, "timeout"):
        return
    with contextlib.suppress(asyncio.TimeoutError):
        async with asyncio.timeout(SECONDS):
            with Watch("timeout"):
                await asyncio.Event().wait()


async def executors():
    loop = asyncio.get_running_loop()
    await loop.run_in_executor(None, time.sleep, 0)  # the thread is there
    with Watch("executor"):
        await loop.run_in_executor(None, time.sleep, SECONDS)
    if hasattr(asyncio, "to_thread"):
        with Watch("to_thread"):
            await asyncio.to_thread(time.sleep, SECONDS)


async def generate():
    for _ in range(3):
        with Watch("in an async generator"):
            await asyncio.sleep(SECONDS / 3)
        yield


async def generators():
    async for _ in generate():
        pass
    return [one async for one in generate()]


class Manager:
    async def __aenter__(self):
        with Watch("aenter"):
            await asyncio.sleep(SECONDS / 2)

    async def __aexit__(self, *_):
        with Watch("aexit"):
            await asyncio.sleep(SECONDS / 2)


async def managers():
    async with Manager():
        pass


async def cancelled():
    with contextlib.suppress(asyncio.TimeoutError):
        with Watch("wait_for"):
            await asyncio.wait_for(asyncio.Event().wait(), SECONDS)


async def failing():
    future = asyncio.get_running_loop().create_future()
    asyncio.get_running_loop().call_later(SECONDS, future.set_exception, KeyError())
    with contextlib.suppress(KeyError):
        with Watch("exception"):
            await future


async def streams():
    async def answer(reader, writer):
        await asyncio.sleep(SECONDS)
        writer.write(b"x")
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname()[:2])
    with Watch("stream"):
        await reader.read(1)
    writer.close()
    server.close()


async def eager():
    async def child():
        with Watch("eager"):
            await asyncio.sleep(SECONDS)

    loop = asyncio.get_running_loop()
    if not hasattr(asyncio, "eager_task_factory") or WAY == "uvloop":
        return
    loop.set_task_factory(asyncio.eager_task_factory)
    tasks = [loop.create_task(child()) for _ in range(3)]
    loop.set_task_factory(None)
    await asyncio.wait(tasks)


async def computing():
    with Watch("compute", "none"):
        await burn()


computed = []  # by coroutines, in one stretch each


async def burn():
    start = recording.cpu()
    while recording.cpu() < start + SECONDS:
        sum(range(1000))
    computed.append(("compute", burn, recording.cpu() - start))


async def one_long_call():
    with Watch("long call", "none"):
        await call()


async def call():
    start = recording.cpu()
    sum(range(int(SECONDS * 120_000_000)))
    computed.append(("long call", call, recording.cpu() - start))


async def main():
    gate, wide_gate = asyncio.Lock(), asyncio.Semaphore(2)
    waiting = [sleeper(1.0), sleeper(1.0), nested(), nested(), gathering(), queues(), locks(gate), locks(gate),
               locks(gate), executors(), generators(), managers(), cancelled(), failing(), streams(), eager(),
               waits(), groups(), timeouts(), *[semaphores(wide_gate) for _ in range(4)]]
    await asyncio.gather(*waiting)
    await computing()
    await one_long_call()


def run():
    if WAY == "uvloop":
        import uvloop

        asyncio.set_event_loop_policy(uvloop.EventLoopPolicy())
    asyncio.run(main())


async def sleepers():
    await asyncio.gather(*[sleeper(1.0) for _ in range(50)])


def run_threads():
    """Several loops at once; they share the lines, and the GIL keeps the sums right."""
    threads = [threading.Thread(target=asyncio.run, args=(sleepers(),)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


async def below(seconds):
    with Watch("below a compiled coroutine"):
        await asyncio.sleep(seconds)


async def above(between):
    with Watch("by way of a compiled coroutine"):
        await between(SECONDS)


async def compiled_tasks(compiled):
    tasks = [asyncio.ensure_future(compiled.outermost(below, SECONDS)) for _ in range(3)]
    tasks += [asyncio.ensure_future(above(compiled.between)) for _ in range(3)]
    with Watch("for compiled coroutines"):
        await asyncio.wait(tasks)


def run_compiled():
    sys.path.insert(0, sys.argv[3])
    import compiled

    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    loop.run_until_complete(compiled.outermost(below, SECONDS))  # no task of the interpreter's own before it
    loop.run_until_complete(compiled_tasks(compiled))
    time.sleep(SECONDS)  # none of them waits any longer


async def anyio_sleeper():
    import anyio

    with Watch("sleep by anyio"):
        await anyio.sleep(SECONDS)


async def anyio_receiver(stream):
    with Watch("stream of anyio"):
        await stream.receive()


def run_anyio():
    import anyio

    async def main():
        await anyio.sleep(0)  # it loads what it needs
        sender, receiver = anyio.create_memory_object_stream(1)
        async with anyio.create_task_group() as group:
            group.start_soon(anyio_receiver, receiver)
            for _ in range(5):
                group.start_soon(anyio_sleeper)
            with Watch("sleep beside a group"):
                await anyio.sleep(SECONDS / 2)
            await sender.send(1)

    anyio.run(main)


async def trio_sleeper():
    import trio

    with Watch("sleep by trio"):
        await trio.sleep(SECONDS)


def run_trio():
    import trio

    async def main():
        await trio.sleep(0)
        async with trio.open_nursery() as nursery:
            for _ in range(5):
                nursery.start_soon(trio_sleeper)
            with Watch("sleep beside a nursery"):
                await trio.sleep(SECONDS / 2)
            recording.wall()  # 3.8 and 3.9 put the wait for the nursery on the last line of its block
        with trio.move_on_after(SECONDS):
            with Watch("cancelled by trio"):
                await trio.sleep_forever()
        await burn()

    trio.run(main)


{"threads": run_threads, "compiled": run_compiled, "anyio": run_anyio, "trio": run_trio}.get(WAY, run)()
stretches = [{"name": name, "cpu_s": cpu_s, **recording.place(function)} for name, function, cpu_s in computed]
recording.tell(stretches=stretches, loops=4 if WAY == "threads" else 1, awaits=[{key: value for key, value in row.items() if key not in ("now", "since", "before")}
                       for row in rows.values()])
