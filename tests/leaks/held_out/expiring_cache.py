# no leak
# SPDX-License-Identifier: Apache-2.0
"""What is older than three seconds is dropped, but it is only looked for now and then."""

import time

from pace import KB, steps

entries = {}
for number in steps(60):
    now = time.monotonic()
    entries[number] = now, [bytes(2 * KB) for _ in range(40)]
    if number % 40 == 0:
        for key in [key for key, (made, _) in entries.items() if now - made > 3]:
            del entries[key]
