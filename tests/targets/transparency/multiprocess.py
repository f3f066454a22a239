# SPDX-License-Identifier: Apache-2.0
"""usage: multiprocess.py METHOD: processes, a pool, a queue and a pipe with one way of starting."""
import multiprocessing
import os
import signal
import sys
from concurrent.futures import ProcessPoolExecutor


def square(n):
    return n * n, sum(range(20000)) > 0


def talk(queue, pipe):
    queue.put([os.getppid() > 1, sorted(map(int, signal.pthread_sigmask(signal.SIG_BLOCK, [])))])
    pipe.send(pipe.recv() + 1)
    sys.exit(4)


def main():
    context = multiprocessing.get_context(sys.argv[1])
    queue = context.Queue()
    here, there = context.Pipe()
    process = context.Process(target=talk, args=(queue, there))
    process.start()
    here.send(41)
    print(queue.get(), here.recv())
    process.join()
    print(process.exitcode, multiprocessing.active_children())
    killed = context.Process(target=signal.pause)
    killed.start()
    killed.terminate()
    killed.join()
    print(killed.exitcode)
    with context.Pool(3) as pool:
        print(pool.map(square, range(20)))
        pool.close()  # who is killed before it has done anything is not seen
        pool.join()
    with ProcessPoolExecutor(2, mp_context=context) as executor:
        print(list(executor.map(square, range(5))))


if __name__ == "__main__":
    main()
