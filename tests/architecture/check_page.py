# SPDX-License-Identifier: Apache-2.0
"""The page's folders use each other in one direction, the model knows no browser, and text never becomes HTML."""

import re

import checking

MAY_IMPORT = {"model": {"model"}, "state": {"model", "state"}, "view": {"model", "state", "view"}}
IMPORT = re.compile(r'from "(\.\.?/[^"]+)"')
BROWSER = re.compile(r"\b(?:document|window|location|localStorage|fetch)\s*[.(]|@preact/signals|from \"preact")
HTML = re.compile(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function")


def problems_of(path):
    text = checking.read(path)
    parts = path.split("/")
    folder = parts[2] if len(parts) == 4 else ""
    for number, line in enumerate(text.splitlines(), 1):
        where = "%s:%d" % (path, number)
        found = IMPORT.search(line)
        if found and folder:
            target = found[1].split("/")[1] if found[1].startswith("../") else folder
            if target not in MAY_IMPORT[folder]:
                yield "%s: %s/ may not use %s" % (where, folder, found[1])
        if folder == "model" and not line.lstrip().startswith(("//", "*", "/*")) and BROWSER.search(line):
            yield "%s: the model knows no browser" % where
        if HTML.search(line):
            yield "%s: text must not become HTML or code" % where


paths = checking.files("web/src/*.ts", "web/src/*.tsx")
checking.end("page", [problem for path in paths for problem in problems_of(path)])
