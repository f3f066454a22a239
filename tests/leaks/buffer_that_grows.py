# leak: KEPT 4 MB/s
# SPDX-License-Identifier: Apache-2.0
"""One block that is only ever made longer: output that is collected and never sent."""

from pace import KB, steps

output = bytearray()


def answer(number):
    rows = [b"x" * KB for _ in range(40)]
    return b"".join(rows)


for number in steps(102.4):
    text = answer(number)
    output += text  # KEPT
