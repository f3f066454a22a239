# no leak
# SPDX-License-Identifier: Apache-2.0
"""As many sessions as the hour brings: they swell and shrink, four days in the run."""

import math

from pace import KB, SECONDS, steps

sessions = []
for number in steps(50):
    day = 4 * number / (50 * SECONDS)
    wanted = int(100 - 80 * math.cos(2 * math.pi * day))
    while len(sessions) < wanted:
        sessions.append(bytearray(200 * KB))
    while len(sessions) > wanted:
        sessions.pop(0)
    work = bytes(300 * KB)
