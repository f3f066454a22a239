# SPDX-License-Identifier: Apache-2.0
"""usage: signals_of_every_python.py LIBRARY SCRIPT: the script is the same with the hooks as bare."""

import json
import os
import subprocess
import sys

import comparing

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))


def main():
    library, script = sys.argv[1:]
    finder = os.path.join(ROOT, "tools", "find-pythons")
    answer = json.loads(subprocess.check_output([finder, "--json"], text=True))
    results = [comparing.compare(facts["id"], [facts["path"], "-W", "error", script], library)
               for facts in answer["found"]]
    print("%d interpreters; missing: %s" % (len(results), ", ".join(answer["missing"]) or "none"))
    return 0 if results and all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
