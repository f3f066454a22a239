# leak: KEPT 2 MB/s
# SPDX-License-Identifier: Apache-2.0
"""Small strings: a log that is kept to be shown some day."""

from pace import steps

log = []


def note(number, what):
    log.append("%08d %s" % (number, what.ljust(200)))  # KEPT


def work(number):
    words = ["word %d" % i for i in range(3000)]
    return " ".join(words)[-100:]


for number in steps(40):
    outcome = work(number)
    for line in range(200):
        note(number, outcome)
