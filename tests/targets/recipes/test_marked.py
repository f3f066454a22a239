# SPDX-License-Identifier: Apache-2.0
"""For pytest, with or without xdist, and for unittest: two tests that work, one that fails."""

import unittest

import marked


class TestMarked(unittest.TestCase):
    def test_one(self):
        self.assertTrue(marked.marked())

    def test_two(self):
        self.assertTrue(marked.marked())

    def test_three_fails(self):
        self.assertFalse(marked.marked())
