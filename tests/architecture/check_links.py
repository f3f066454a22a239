# SPDX-License-Identifier: Apache-2.0
"""Every file that a document links to, or a source file's comment sends the reader to, is there."""

import os
import re

import checking

LINK = re.compile(r"\]\((?!https?:|#|mailto:)([^)#\s]+)")
MENTION = re.compile(r"\bdocs/[\w-]+\.(?:md|json|svg|1)\b")

problems = []
for path in checking.files("*.md"):
    for number, line in checking.numbered_lines(path):
        for target in LINK.findall(line):
            if not os.path.exists(os.path.join(checking.ROOT, os.path.dirname(path), target)):
                problems.append("%s:%d: there is no %s" % (path, number, target))
for path in checking.files("src", "tools", "tests/*.py"):
    for number, line in checking.numbered_lines(path):
        for target in MENTION.findall(line):
            if not os.path.exists(os.path.join(checking.ROOT, target)):
                problems.append("%s:%d: there is no %s" % (path, number, target))
checking.end("links", problems)
