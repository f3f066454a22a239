# no leak
# SPDX-License-Identifier: Apache-2.0
"""Pages put together piece by piece, each larger than the last until a new chapter begins."""

import io

from pace import steps


def page(length):
    out = io.StringIO()
    for number in range(length):
        out.write("<p>paragraph %d of many, all of them alike</p>\n" % number)
    return out.getvalue()


for number in steps(25):
    text = page(200 * (1 + number % 20))
    upper = text.upper()
