#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A `neuron-monitor` that prints how busy the device is now, five times a second; the file neuron-mode says how it
misbehaves. It takes the real one's options."""

import array
import fcntl
import json
import os
import pathlib
import signal
import sys
import termios
import time

ROOT = pathlib.Path(os.environ["SCALENE_ACCELERATOR_ROOT"])
MB = 1 << 20


def level():
    steps = [line.split() for line in (ROOT / "nvml").read_text().splitlines() if line.startswith("curve")]
    return float(steps[-1][3])


def runtime(pid, percent):
    core = {"neuroncore_utilization": percent, "flops": 1}
    memory = {"constants": MB, "model_code": MB, "model_shared_scratchpad": 0, "runtime_memory": 0, "tensors": 62 * MB}
    used = {"host": 1, "neuron_device": 2, "usage_breakdown": {"host": {}, "neuroncore_memory_usage": {"0": memory}}}
    return {"pid": pid, "neuron_runtime_tag": "1", "error": "", "report": {
        "neuroncore_counters": {"period": 1.0, "neuroncores_in_use": {"0": core, "1": core}, "error": ""},
        "memory_used": {"period": 1.0, "neuron_runtime_used_bytes": used, "error": ""},
        "latency_stats": None}}


def wait_until_taken():
    """What is in the pipe has not been read yet."""
    left = array.array("i", [1])
    while left[0]:
        time.sleep(0.005)
        fcntl.ioctl(1, termios.FIONREAD, left)


assert sys.argv[1] == "-c" and '"period"' in open(sys.argv[2]).read()
mode = (ROOT / "neuron-mode").read_text()
(ROOT / "monitor").write_text(str(os.getpid()))
if mode == "hangs":
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGPIPE):
        signal.signal(number, signal.SIG_IGN)
if mode == "ends":
    (ROOT / "broken").touch()
    sys.exit(1)
for count in range(10**6):
    if mode == "hangs" and count > 2:
        (ROOT / "broken").touch()
        time.sleep(1000)
    if mode == "breaks off" and count > 4:
        print('{"neuron_runtime_data": [', end="", flush=True)
        (ROOT / "broken").touch()
        sys.exit(0)
    if mode == "floods":
        sys.stdout.write("x" * (3 << 20) + "\n" + "\n".join(["{}"] * 20000) + "\n")
    if mode == "garbage":
        print("neuron: \x00 no JSON\n[1,2]\n7\nnull")
    ours = int((ROOT / "pid").read_text())
    print(json.dumps({"neuron_runtime_data": [runtime(1, 99.0), runtime(ours, level())]}), flush=True)
    wait_until_taken()
    with open(ROOT / "reads", "ab") as file:
        file.write(b".")
    time.sleep(0.2)
