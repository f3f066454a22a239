# SPDX-License-Identifier: Apache-2.0
"""Starts one worker for each rank, as torchrun does: itself in processes that learn their place from variables."""

import os
import subprocess
import sys

import marked

WORLD_SIZE = 2

if "RANK" in os.environ:
    marked.marked()
    sys.exit(3 if os.environ["RANK"] == "1" else 0)

workers = [subprocess.Popen([sys.executable, "-u", __file__],
                            env={**os.environ, "RANK": str(rank), "WORLD_SIZE": str(WORLD_SIZE)},
                            start_new_session=True)
           for rank in range(WORLD_SIZE)]
sys.exit(max(worker.wait() for worker in workers))
