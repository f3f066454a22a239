# SPDX-License-Identifier: Apache-2.0
"""Programs of coroutines that wait, each in one way."""

import crowded_programs
import meddled_programs

PROGRAM = """import asyncio
import time


async def fetch(seconds):
    await asyncio.sleep(seconds)


async def handle(seconds):
    await fetch(seconds)


async def compute():
    await burn()


async def burn():
    end = time.thread_time() + 0.3
    while time.thread_time() < end:
        sum(range(100))


async def block():
    time.sleep(0.12)


def call_back():
    time.sleep(0.15)


async def main():
    tasks = [asyncio.ensure_future(handle(0.2)) for i in range(5)]
    for number, task in enumerate(tasks):
        task.set_name("request %d" % number)
    await asyncio.gather(*tasks)
    await asyncio.create_task(compute(), name="hot")
    await asyncio.create_task(block(), name="blocking")
    asyncio.get_running_loop().call_soon(call_back)
    await asyncio.sleep(0.01)


asyncio.run(main())
"""

# A process that is killed while ten tasks wait.
KILLED = """import asyncio, os, time
async def wait():
    await asyncio.sleep(100)
async def main():
    tasks = [asyncio.ensure_future(wait()) for _ in range(10)]
    await asyncio.sleep(0)
    start = time.perf_counter()
    await asyncio.sleep(0.5)
    print(10 * (time.perf_counter() - start), flush=True)
    os.kill(os.getpid(), 9)
asyncio.run(main())
"""

# Tasks that are dropped while they wait, and coroutines that are closed by hand.
ENDINGS = """import asyncio, gc
async def wait():
    await asyncio.sleep(100)
def drop_pending():
    loop = asyncio.new_event_loop()
    coroutines = [wait() for _ in range(5)]
    tasks = [loop.create_task(coroutine) for coroutine in coroutines]
    loop.run_until_complete(asyncio.sleep(0.1))
    loop.set_exception_handler(lambda *_: None)
    loop.close()
def close_by_hand():
    coroutine = wait()
    coroutine.send(None)
    coroutine.close()
async def inside():
    close_by_hand()
drop_pending()
gc.collect()
for _ in range(20):
    try:
        close_by_hand()
    except RuntimeError:
        pass
asyncio.run(inside())
import time
time.sleep(1.0)
"""

FORKED = """import asyncio, os, sys, time
async def wait(seconds):
    start = time.perf_counter()
    await asyncio.sleep(seconds)
    os.write(1, b"%f\\n" % (time.perf_counter() - start))
async def parent():
    task = asyncio.ensure_future(wait(0.6))
    await asyncio.sleep(0.1)
    pid = os.fork()
    if pid == 0:
        asyncio.events._set_running_loop(None)
        asyncio.new_event_loop().run_until_complete(wait(0.2))
        os._exit(0)
    await task
    os.waitpid(pid, 0)
asyncio.run(parent())
"""

# A child that goes on with its parent's loop, and with the tasks that wait there.
KEPT = """import asyncio, os, time
async def work():
    while True:
        await asyncio.sleep(0.05)
loop = asyncio.new_event_loop()
tasks = [loop.create_task(work()) for _ in range(10)]
loop.run_until_complete(asyncio.sleep(0.01))
begin = time.perf_counter()
pid = os.fork()
if pid == 0:
    begin = time.perf_counter()
    loop.run_until_complete(asyncio.sleep(1))
    os.write(1, b"%f\\n" % (time.perf_counter() - begin))
    os._exit(0)
os.waitpid(pid, 0)
print(time.perf_counter() - begin, flush=True)
os._exit(0)
"""

# The second in the middle is not profiled.
PAUSED = """import asyncio, time
from scalene import scalene_profiler
truth = 0
async def wait(seconds):
    await asyncio.sleep(seconds)
async def timed(seconds):
    global truth
    start = time.perf_counter()
    await wait(seconds)
    truth += time.perf_counter() - start
async def main():
    await timed(0.2)
    scalene_profiler.stop()
    await wait(1)
    scalene_profiler.start()
    await timed(0.2)
asyncio.run(main())
print(truth)
"""

# Loops in several interpreters of one process: beside each other where asyncio can do that.
INTERPRETERS = """import sys, threading
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
TEXT = '''
import asyncio, os, time
truth = 0
async def wait():
    global truth
    start = time.perf_counter()
    await asyncio.sleep(0.2)
    truth += time.perf_counter() - start
async def main():
    await asyncio.gather(*[wait() for _ in range(5)])
asyncio.run(main())
os.write(1, b"%f\\\\n" % truth)
'''
def run():
    one = interpreters.create()
    run_text = getattr(interpreters, "exec", None) or interpreters.run_string
    run_text(one, "exec(compile(%r, %r, 'exec'))" % (TEXT, __file__))
    interpreters.destroy(one)
threads = [threading.Thread(target=run) for _ in range(3)]
if sys.version_info >= (3, 13):
    for thread in threads:
        thread.start()
exec(compile(TEXT, __file__, "exec"))
if sys.version_info < (3, 13):
    run()
else:
    for thread in threads:
        thread.join()
"""

# Work that tasks hand to threads, and wait for: at once, or later.
EXECUTORS = """import asyncio, time
def work():
    end = time.thread_time() + 0.1
    while time.thread_time() < end:
        sum(range(100))
    time.sleep(0.1)
async def at_once():
    await asyncio.get_running_loop().run_in_executor(None, work)
async def later():
    loop = asyncio.get_running_loop()
    futures = [loop.run_in_executor(None, work) for _ in range(2)]
    await asyncio.gather(*futures)
async def by_thread():
    if hasattr(asyncio, "to_thread"):
        await asyncio.to_thread(work)
async def main():
    await at_once()
    await later()
    await by_thread()
    await asyncio.sleep(0.1)
asyncio.run(main())
"""

# A loop that runs inside a step of another one.
NESTED = """import asyncio
async def inner():
    await asyncio.sleep(0.2)
async def outer():
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    asyncio._leave_task(loop, task)
    asyncio._set_running_loop(None)
    asyncio.new_event_loop().run_until_complete(inner())
    asyncio._set_running_loop(loop)
    asyncio._enter_task(loop, task)
    await asyncio.sleep(0.1)
asyncio.run(outer())
"""

# An asynchronous generator that nobody but this program drives, and one that is dropped while it waits.
BY_HAND = """import time, types
@types.coroutine
def pause():
    yield
async def generate():
    await pause()
    yield 1
    await pause()
    yield 2
truth = 0
generator = generate()
for _ in range(2):
    step = generator.asend(None)
    start = time.perf_counter()
    step.send(None)
    time.sleep(0.1)
    try:
        step.send(None)
    except StopIteration:
        pass
    truth += time.perf_counter() - start
    time.sleep(0.3)
async def dropped():
    await pause()
    yield
generator = dropped()
step = generator.asend(None)
start = time.perf_counter()
step.send(None)
time.sleep(0.1)
del step, generator
truth += time.perf_counter() - start
time.sleep(0.5)
print(truth)
"""

# One that is left in the middle: the loop makes a task of its end, which ends at once. Another takes its time for that.
ABANDONED = """import asyncio, time
async def generate():
    yield
async def slow():
    try:
        yield
    finally:
        await asyncio.sleep(0.2)
async def leave(generator):
    async for _ in generator():
        break
async def main():
    await leave(generate)
    start = time.perf_counter()
    await leave(slow)
    await asyncio.sleep(0.5)
    print(time.perf_counter() - start)
asyncio.run(main())
"""

# A task of an old-fashioned coroutine, which is a generator.
GENERATOR_TASK = """import asyncio, time, warnings
warnings.simplefilter("ignore")
async def wait():
    start = time.perf_counter()
    await asyncio.sleep(0.2)
    print(time.perf_counter() - start)
if hasattr(asyncio, "coroutine"):
    @asyncio.coroutine
    def main():
        yield from wait()
else:
    main = wait
asyncio.new_event_loop().run_until_complete(main())
time.sleep(0.3)
"""

INTERRUPTED = """import asyncio
async def main():
    asyncio.get_running_loop().call_later(0.3, lambda: print("waits", flush=True))
    await asyncio.sleep(60)
asyncio.run(main())
"""

PROGRAMS = {
    **crowded_programs.PROGRAMS, **meddled_programs.PROGRAMS,
    "off": PROGRAM, "killed": KILLED, "endings": ENDINGS, "forked": FORKED, "kept": KEPT, "paused": PAUSED,
    "interpreters": INTERPRETERS, "executors": EXECUTORS, "nested": NESTED, "by_hand": BY_HAND,
    "abandoned": ABANDONED, "generator_task": GENERATOR_TASK,
}
OPTIONS = {"off": ["--no-async"]}
