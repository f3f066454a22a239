# no leak
# SPDX-License-Identifier: Apache-2.0
"""Rows are gathered for some two seconds, written out, and gathered anew."""

from pace import steps

ROWS = 100
rows = []
for number in steps(50):
    rows.append([("row %d" % number) * 10 + str(i) for i in range(1000)])
    if len(rows) == ROWS:
        written = sum(len(row) for row in rows)
        rows = []
