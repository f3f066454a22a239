# no leak
# SPDX-License-Identifier: Apache-2.0
"""A result that takes two fifths of the run to build, and is then read to the end."""

from pace import steps

result = []
for number in steps(50, part=0.4):
    result.append([number * i for i in range(2000)])
for number in steps(50, part=0.6):
    row = result[number % len(result)]
    ordered = sorted(row, reverse=True)
