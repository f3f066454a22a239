# leak: KEPT 3 MB/s
# SPDX-License-Identifier: Apache-2.0
"""A class that knows all its instances, the closed ones too."""

from pace import KB, steps


class Connection:
    known = []

    def __init__(self, number):
        self.number = number  # HOLDS
        self.inbox = [b"%06d" % i * 8 for i in range(number % 3)]
        self.buffer = bytearray(32 * KB)  # KEPT
        Connection.known.append(self)  # HOLDS

    def close(self):
        self.inbox = None


for number in steps(96):
    connection = Connection(number)  # HOLDS
    reply = bytes(connection.buffer) * 4
    connection.close()
