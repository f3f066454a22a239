# SPDX-License-Identifier: Apache-2.0
"""A program with one of everything: Python, native code, sleeping, and two threads with one GIL."""

import random
import threading
import time
import zlib


def count_primes(limit):
    count = 0
    for number in range(2, limit):
        divisor = 2
        while divisor * divisor <= number:
            if number % divisor == 0:
                break
            divisor += 1
        else:
            count += 1
    return count


def sort_numbers(rounds):
    numbers = [random.random() for _ in range(200_000)]
    for _ in range(rounds):
        numbers = sorted(numbers, key=lambda number: -number)
    return numbers[0]


def compress(rounds):
    text = bytes(random.choices(b"the quick brown fox", k=500_000))
    return sum(len(zlib.compress(text, 9)) for _ in range(rounds))


def compete():
    """Two threads that want the interpreter at the same time: each waits while the other runs."""
    threads = [threading.Thread(target=count_primes, args=(150_000,), name="prime %d" % i) for i in (1, 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def main():
    random.seed(7)
    print("primes:", count_primes(400_000))
    print("largest:", round(sort_numbers(12), 6))
    print("compressed:", compress(15))
    compete()
    time.sleep(0.5)


if __name__ == "__main__":
    main()
