# no leak
# SPDX-License-Identifier: Apache-2.0
"""The last two seconds of what was measured, and their mean."""

import collections

from pace import steps

window = collections.deque(maxlen=100)
for number in steps(50):
    window.append([float(number + i) for i in range(4000)])
    mean = sum(window[0]) / 4000 + sum(window[-1]) / 4000
