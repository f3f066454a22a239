# no leak
# SPDX-License-Identifier: Apache-2.0
"""An index that is rebuilt every two and a half seconds while the old one still serves."""

from pace import steps

PIECES = 100
current, coming = {}, {}
for number in steps(40):
    coming.update(("%d term %d" % (number % PIECES, i), [i] * 20) for i in range(500))
    if number % PIECES == PIECES - 1:
        current, coming = coming, {}
    found = [key for key in list(current)[:100]]
