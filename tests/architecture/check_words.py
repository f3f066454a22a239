# SPDX-License-Identifier: Apache-2.0
"""The project's files speak of the project: no place on somebody's machine, no host, no ticket."""

import re

import checking

FOREIGN = {
    r"(?<![\w.}*])/root(?=[/\s\"':`)]|$)": "a folder of one machine",
    r"(?<![\w.}*])/work/": "a folder of one machine",
    r"\b(?:pypi\.org|files\.pythonhosted\.org|registry\.npmjs\.org|deb\.debian\.org)\b": "a host",
    r"(?i)\bissues? #?\d+\b": "a ticket",
    r"(?i)\bin (?:this|a previous|an earlier) session\b": "who wrote it",
}
NOT_TEXT = (".svg", ".png")

problems = []
for path in checking.files():
    if path.endswith(NOT_TEXT) or path in ("LICENSE", "tests/architecture/check_words.py") or "/corpus/" in path:
        continue
    for number, line in checking.numbered_lines(path):
        for pattern, what in FOREIGN.items():
            found = re.search(pattern, line)
            if found:
                problems.append("%s:%d: %s: %s" % (path, number, what, found[0]))
checking.end("words", problems)
