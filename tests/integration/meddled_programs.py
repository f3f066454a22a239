# SPDX-License-Identifier: Apache-2.0
"""Programs of coroutines in which another tool has been at the interpreter's tables before, and a library that is one."""

# Another tool has been at the coroutine type: its methods are called in another way, as far as their flags say.
MEDDLER = """
#include <dlfcn.h>
__attribute__((constructor)) static void meddle(void)
{
    char *type = dlsym(RTLD_DEFAULT, "PyCoro_Type");
    if (type) {
        *(int *)(*(char **)(type + 232) + 16) |= 0x40;
    }
}
"""
GUESSED = """import asyncio
async def wait(seconds):
    await asyncio.sleep(seconds)
async def tick():
    for _ in range(20):
        await asyncio.sleep(0.03)
async def main():
    await asyncio.gather(*[wait(0.6) for _ in range(10)], tick())
asyncio.run(main())
"""

# More tasks than are looked at, so that each of those stands for two; and one that is not asyncio's own.
GUESSED_MANY = """import asyncio
async def wait(seconds):
    await asyncio.sleep(seconds)
async def tick():
    for _ in range(20):
        await asyncio.sleep(0.03)
async def main():
    loop = asyncio.get_running_loop()
    other = asyncio.tasks._PyTask(wait(0.6), loop=loop)
    await asyncio.gather(*[wait(0.6) for _ in range(750)], tick(), other)
asyncio.run(main())
"""
# Two loops at once, each with tasks of its own.
GUESSED_LOOPS = """import asyncio, threading
async def wait(seconds):
    await asyncio.sleep(seconds)
async def tick():
    for _ in range(20):
        await asyncio.sleep(0.03)
async def main(count):
    await asyncio.gather(*[wait(0.6) for _ in range(count)], tick())
threads = [threading.Thread(target=asyncio.run, args=(main(count),)) for count in (2, 8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""

# A program that has a function of its own where asyncio's Task has the one that makes tasks.
TAKEN = """import asyncio, ctypes
TYPE_INIT = 296
slot = ctypes.c_void_p.from_address(id(asyncio.tasks._CTask) + TYPE_INIT)
kind = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.py_object, ctypes.c_void_p)
original = kind(slot.value)
own = kind(lambda task, arguments, names: original(task, arguments, names))
slot.value = ctypes.cast(own, ctypes.c_void_p).value
async def wait():
    await asyncio.sleep(0.01)
async def main():
    await asyncio.gather(wait(), wait())
asyncio.run(main())
print(slot.value == ctypes.cast(own, ctypes.c_void_p).value)
slot.value = ctypes.cast(original, ctypes.c_void_p).value
"""

PROGRAMS = {"guessed": GUESSED, "guessed_many": GUESSED_MANY, "guessed_loops": GUESSED_LOOPS, "taken": TAKEN}
