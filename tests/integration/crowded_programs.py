# SPDX-License-Identifier: Apache-2.0
"""Programs of coroutines that are many, or whose code is."""

# Code that is compiled, runs and goes, over and over: what comes next may lie where it lay.
RECOMPILED = """import asyncio, gc
loop = asyncio.new_event_loop()
for number in range(1, 11):
    names = {"asyncio": asyncio}
    text = "\\n" * number + "async def wait(): await asyncio.sleep(0.02)"
    exec(compile(text, __file__, "exec"), names)
    loop.run_until_complete(names["wait"]())
    del names
    gc.collect()
"""

# More tasks wait than are remembered one by one, and meanwhile thousands of code objects end, all over the heap.
FREED = """import asyncio, time
truth = 0
async def wait():
    global truth
    start = time.perf_counter()
    await asyncio.sleep(0.5)
    truth += time.perf_counter() - start
async def free_codes():
    await asyncio.sleep(0.1)
    codes = [compile("x + %d" % number, "none", "eval") for number in range(20_000)]
    del codes
async def main():
    await asyncio.gather(*[wait() for _ in range(3000)], free_codes())
    await asyncio.sleep(0.5)
asyncio.run(main())
print(truth)
"""

# A task that is in two places by turns, and others that come there later, under names of their own choice.
NAMED = """import asyncio
async def wait():
    await asyncio.sleep(0)
async def alternate():
    for _ in range(200):
        await wait()
        await asyncio.sleep(0)
async def late(number):
    asyncio.current_task().set_name("late %d" % number)
    await wait()
async def renamed():
    await asyncio.sleep(0)
    asyncio.current_task().set_name("renamed")
async def main():
    await asyncio.ensure_future(alternate())
    await asyncio.gather(renamed(), *[late(number) for number in range(5)])
asyncio.run(main())
"""

# After more tasks than there are places for, two that hold the loop, each in the only step that it takes.
HOLDERS = """import asyncio, time
async def one():
    await asyncio.sleep(0)
async def hold():
    time.sleep(0.07)
async def main():
    for _ in range(30):
        await asyncio.gather(*[one() for _ in range(200)])
    for number in range(2):
        begin = time.perf_counter()
        task = asyncio.ensure_future(hold())
        task.set_name("holder %d" % number)
        await task
        print(time.perf_counter() - begin)
asyncio.run(main())
"""

# More lines that wait than there is room for.
CROWDED = """import asyncio
COUNT = 6000
text = "".join("async def wait_%d(): await asyncio.sleep(0)\\n" % number for number in range(COUNT))
exec(compile(text, __file__, "exec"))
async def main():
    for number in range(COUNT):
        await globals()["wait_%d" % number]()
asyncio.run(main())
"""

MANY = """import asyncio
async def one():
    await asyncio.sleep(1)
async def main():
    await asyncio.gather(*[one() for _ in range(100_000)])
asyncio.run(main())
"""

PROGRAMS = {"recompiled": RECOMPILED, "freed": FREED, "crowded": CROWDED, "named": NAMED, "holders": HOLDERS}
