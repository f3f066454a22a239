# SPDX-License-Identifier: Apache-2.0
"""Accelerators: what a known load comes out as, on which lines, and what waiting for them does."""

import json
import os
import pathlib
import shutil

import profiling
import pytest
from accelerators import MB, NAMES, Machine, check_curve, known_as, line_of, percents, run
from profiling import lines


def test_the_load_of_each_line_within_three_points(tmp_path, key_python):
    done = run(key_python, tmp_path / "m", Machine.nvidia, *NAMES, more=known_as(), do=("compute", "sleep"))
    check_curve(done)
    document = done.profile
    assert document["gpu"] and document["gpu_device"] == "GPU", document["quality"]["notes"]
    (device,) = document["gpu_devices"]
    assert (device["vendor"], device["name"], device["scope"], device["memory_scope"]) == (
        "NVIDIA", "Stub GPU 0", "process", "process")
    assert abs(device["peak_memory_mb"] - 300) < 0.01 and device["total_memory_mb"] == 8192
    # The program waited for 28; no more than ten a second, give or take the twentieth part of a period.
    assert 28 <= device["readings"] <= 10.6 * done.seconds and len(device["samples"]) == device["readings"]
    # Who uses it is asked once a second.
    assert 1 <= (done.machine.root / "lists").stat().st_size <= 1.06 * done.seconds + 1
    line = lines(document, "program.py")[line_of(0)]
    assert abs(line["n_gpu_avg_memory_mb"] - 300) < 0.01 and abs(line["n_gpu_peak_memory_mb"] - 300) < 0.01
    assert abs(line["gpu_busy_s"] / line["gpu_seen_s"] - line["n_gpu_percent"] / 100) < 1e-6


def test_a_program_that_opens_no_device_has_none(tmp_path, key_python):
    done = run(key_python, tmp_path / "m", Machine.nvidia, "/dev/null", more=known_as(), patience=0.3)
    document = done.profile
    assert not document["gpu"] and document["gpu_devices"] == [] and not any(percents(document))
    assert not [note for note in document["quality"]["notes"] if "GPU" in note]
    assert not (done.machine.root / "calls").exists()  # nor was the driver asked anything
    shown = profiling.call([profiling.SCALENE, "view", "--cli", tmp_path / "m" / "profile.json"],
                           env={"COLUMNS": "200", "PATH": ""})
    assert "GPU" not in shown.stdout


CHILD = """import os, time
import device
device.patience_s = %s
child = os.fork()
if child == 0:
    device.settle(12)
    os._exit(0)
device.load(90)
%s
device.open_device("/dev/nvidia0")
device.settle(8); device.sleep()
os.waitpid(child, 0)
"""


def test_a_process_that_opens_no_device_has_none(tmp_path):
    """Nor has a run that was asked for something else."""
    machine = Machine(tmp_path / "m")
    machine.nvidia()
    program = machine.root / "program.py"
    program.write_text(CHILD % (60, known_as()))
    how = {"out": machine.root / "profile.json", "cwd": machine.root, "env": machine.environment}
    found = lines(profiling.profile(profiling.key_pythons()[-1], program, **how).profile, "program.py")
    assert found[5]["n_gpu_percent"] == 0 and "gpu_seen_s" not in found[5]
    assert found[11]["n_gpu_percent"] > 80
    shutil.rmtree(machine.root / "proc")
    machine.write("nvml", "devices 1\n")
    program.write_text(CHILD % (0.1, known_as()))
    document = profiling.profile(profiling.key_pythons()[-1], program, options=["--memory"], **how).profile
    assert not document["gpu"] and document["gpu_devices"] == []


WAITS = """import ctypes, sys
cuda = ctypes.CDLL(sys.argv[1])
for _ in range(3):
    cuda.cuCtxSynchronize()
    cuda.cuStreamSynchronize(None)
    cuda.cuLaunchKernel(None)
"""


def test_waiting_for_the_gpu_is_a_wait_of_its_own(key_python, program, profile):
    library = profiling.BUILD / "tests" / "targets" / "accelerators" / "libcuda.so.1"
    document = profile(key_python, program(WAITS), library).profile
    found = lines(document, "program.py")
    # 3 times 0.2 s, and as long as a busy machine takes to wake it.
    assert found[4]["wait_s"]["gpu"] > 0.599 and set(found[4]["wait_s"]) == {"gpu"}
    # Asking again and again is CPU time as well: told as both. There is one sample in each of 60 periods, and two more or
    # less at each end of a stretch. A crowded machine brings some at once, and only the first of them with its stack.
    for number in (5, 6):
        assert 0.5 < sum(found[number][kind] for kind in ("cpu_python_s", "cpu_native_s", "cpu_system_s")) < 0.7
    notes = [note for note in document["quality"]["notes"] if "came too fast to take their native stack" in note]
    without_stack_s = 0.01 * sum(int(note.split()[0]) for note in notes)
    assert 0.5 - without_stack_s < found[5]["wait_s"].get("gpu", 0) < 0.7 and "gpu" not in found[6]["wait_s"]


def test_without_stacks_waiting_that_computes_is_said_to_be_missing(program, profile):
    library = profiling.BUILD / "tests" / "targets" / "accelerators" / "libcuda.so.1"
    document = profile(profiling.key_pythons()[-1], program(WAITS), library, options=["--no-stacks"]).profile
    assert lines(document, "program.py")[4]["wait_s"]["gpu"] > 0.599  # what sleeps is known by its caller
    assert [note for note in document["quality"]["notes"] if "samples were in a GPU's library, without native" in note]


DRIVER_WAITS = """import ctypes, fcntl, sys
library = ctypes.CDLL(sys.argv[1])
for _ in range(3):
    library.hsaKmtWaitOnEvent()
    library.hsaKmtGetVersion()
    fcntl.ioctl(0, 0xc0184b0c, bytes(24))
"""


def test_waiting_in_a_driver_is_waiting_for_the_gpu(key_python, program, profile):
    """Where a vendor's library asked it; where the program did so itself, it may be any device."""
    stubs = profiling.BUILD / "tests" / "targets" / "accelerators"
    environment = {**os.environ, "LD_PRELOAD": str(stubs / "libkfd_stub.so")}
    document = profile(key_python, program(DRIVER_WAITS), stubs / "libhsakmt.so.1", env=environment).profile
    found = lines(document, "program.py")
    # 3 times 0.2 s, and as long as a busy machine takes to wake it.
    assert found[4]["wait_s"]["gpu"] > 0.599 and set(found[4]["wait_s"]) == {"gpu"}
    assert found[6]["wait_s"]["other"] > 0.599 and set(found[6]["wait_s"]) == {"other"}
    assert 5 not in found or not found[5]["wait_s"]


ABI = """import pynvml, json, sys
pynvml.nvmlInit()
device = pynvml.nvmlDeviceGetHandleByIndex(0)
rates = pynvml.nvmlDeviceGetUtilizationRates(device)
memory = pynvml.nvmlDeviceGetMemoryInfo(device)
processes = pynvml.nvmlDeviceGetComputeRunningProcesses(device)
parts = pynvml.nvmlDeviceGetProcessUtilization(device, 0)
print(json.dumps([pynvml.nvmlDeviceGetName(device), rates.gpu, memory.total,
                  [[one.pid, one.usedGpuMemory] for one in processes], [[one.pid, one.smUtil] for one in parts]]))
"""


@pytest.fixture(scope="module")
def vendors_own():
    python = profiling.with_packages(profiling.key_pythons()[-1], "nvidia-ml-py", "nvidia-nvml-dev")
    if python is None:
        pytest.skip("nvidia-ml-py and nvidia-nvml-dev cannot be had")
    return python


def test_the_stub_has_the_real_interface(tmp_path, vendors_own):
    """NVIDIA's own client reads it."""
    machine = Machine(tmp_path / "m")
    machine.nvidia("process 0 77 1048576 42", "curve 0 1 55")
    environment = {**machine.environment, "LD_LIBRARY_PATH": str(machine.root / "lib")}
    done = profiling.call([vendors_own.path, "-c", ABI], env=environment)
    assert done.status == 0, done.stderr
    assert json.loads(done.stdout) == ["Stub GPU 0", 55, 8 << 30, [[77, MB]], [[77, 42]]]


def test_layouts_and_codes_are_the_vendors_own(vendors_own):
    (header,) = pathlib.Path(vendors_own.path).parents[1].glob("lib/python*/site-packages/nvidia/*/include/nvml.h")
    check = profiling.TARGETS / "accelerators" / "nvml_layout.c"
    done = profiling.call(["cc", "-std=gnu17", "-fsyntax-only", "-I", header.parent, "-I", profiling.ROOT / "src", check])
    assert done.status == 0, done.stderr
