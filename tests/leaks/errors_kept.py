# leak: KEPT 4 MB/s
# SPDX-License-Identifier: Apache-2.0
"""Errors are kept for a report; their tracebacks keep the frames, and these what they worked on."""

from pace import KB, steps

errors = []


def handle(number):
    payload = bytearray(100 * KB)  # KEPT
    if number % 2:
        raise ValueError(len(payload))  # HOLDS


for number in steps(81.92):
    try:
        handle(number)  # HOLDS
    except ValueError as error:
        errors.append(error)  # HOLDS
