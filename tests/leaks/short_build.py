# no leak 4 s
# SPDX-License-Identifier: Apache-2.0
"""A short program that gathers its answer from beginning to end: that is what it is for."""

from pace import steps

words = []
for number in steps(50):
    text = "the quick brown fox %d " % number * 200
    words += [word + str(number) for word in text.split()]
print(len(set(words)))
