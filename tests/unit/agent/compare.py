# SPDX-License-Identifier: Apache-2.0
"""usage: compare.py LIBRARY PROGRAM [ARGUMENT...]: the program is the same with the hooks as bare."""

import sys

import comparing

sys.exit(0 if comparing.compare(sys.argv[2], sys.argv[2:], sys.argv[1]) else 1)
