# SPDX-License-Identifier: Apache-2.0
"""For celery: `tasks.py COUNT` asks for work. The queue is a folder, so that no server is needed."""

import os
import sys
import time

import celery
import marked

QUEUE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "queue")
BEGUN = QUEUE + "-begun"
os.makedirs(QUEUE, exist_ok=True)

app = celery.Celery("tasks", broker="filesystem://")
app.conf.update(
    broker_transport_options={"data_folder_in": QUEUE, "data_folder_out": QUEUE, "control_folder": QUEUE},
    worker_prefetch_multiplier=1,
)


def wait_for(count):
    """Until so many processes are at work: one alone might do it all, one piece after the other."""
    os.makedirs(BEGUN, exist_ok=True)
    open(os.path.join(BEGUN, str(os.getpid())), "w").close()
    while len(os.listdir(BEGUN)) < count:
        time.sleep(0.01)


@app.task
def work(count):
    wait_for(count)
    return marked.marked()


if __name__ == "__main__":
    for _ in range(int(sys.argv[1])):
        work.delay(int(sys.argv[1]))
