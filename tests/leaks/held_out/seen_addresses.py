# leak: KEPT 1.6 MB/s
# SPDX-License-Identifier: Apache-2.0
"""A crawler's set of addresses that it has been to: small strings, each a new one."""

from pace import steps

seen = set()


def address(page, number):
    return "http://host-%06d/a/rather/long/path/to/some/page?number=%06d&session=%0100d" % (page, number, page)  # KEPT


for page in steps(76):
    seen.update(address(page, number) for number in range(100))  # HOLDS
    body = [bytes(1000) for _ in range(500)]
