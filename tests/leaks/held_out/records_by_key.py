# leak: KEPT 3.4 MB/s
# SPDX-License-Identifier: Apache-2.0
"""Messages are decoded; those of a kind that nobody asks for pile up in their list."""

import collections
import json

from pace import steps

by_kind = collections.defaultdict(list)
TEXT = json.dumps({"kind": 0, "rows": ["row number %d with some text" % i for i in range(500)]})


def receive(number):
    message = json.loads(TEXT)  # KEPT
    message["kind"] = number % 2
    return message


for number in steps(160):
    message = receive(number)
    by_kind[message["kind"]].append(message)  # HOLDS
    by_kind[1].clear()
