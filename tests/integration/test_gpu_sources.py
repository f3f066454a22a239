# SPDX-License-Identifier: Apache-2.0
"""Every source of readings: drivers of every age and mood, at the interfaces of the real ones."""

import concurrent.futures
import itertools
import json
import shutil
import time

import profiling
import pytest
from accelerators import MB, NAMES, OLDEST, check_curve, check_work, known_as, percents, run, worked_s
from endings import is_alive


def on_buses(count, *config):
    """As the kernel shows them, beside the library."""
    def prepare(machine):
        machine.nvidia("devices %d" % count, *config)
        for index in range(count):
            machine.write("proc/driver/nvidia/gpus/0000:%02x:00.0/information" % (index + 1),
                          "Model: \t\t Stub\nBus Location: \t 0000:%02x:00.0\nDevice Minor: \t %d\n" % (index + 1, index))
    return prepare


def nvidia(*config, **how):
    return lambda machine: machine.nvidia(*config, **how)


NO_RATES = ("status GetProcessUtilization 3", "status GetProcessesUtilizationInfo 3")
FAILING_LISTS = ("status GetComputeRunningProcesses 999", "status GetGraphicsRunningProcesses 999")
NO_LISTS = ("status GetComputeRunningProcesses 3", "status GetGraphicsRunningProcesses 3")

# name: what the machine is like, the program's line, whose work and memory, what is said, and the factor
VARIANTS = {
    "records of 16 bytes": (nvidia("stride 16"), known_as(), "process", "process", None, 1),
    "records of 32 bytes": (nvidia("stride 32"), known_as(), "process", "process", None, 1),
    "half of the work is another's": (nvidia("process 0 1 1048576 90"), known_as(), "process", "process", None, 0.5),
    "rates by the newer function": (nvidia("status GetProcessUtilization 13"), known_as(), "process", "process", None, 1),
    "the oldest names": (nvidia("stride 16", library=OLDEST), known_as(), "process", "process", None, 1),
    "another's device beside it": (nvidia("devices 2", "curve 1 1 100", "process 1 1 1048576 99"), known_as(), "process",
                                   "process", None, 1),
    "four that the kernel shows": (on_buses(4, "curve 1 1 100"), known_as(), "process", "process", None, 1),
    "one that cannot be attached": (on_buses(2, "status GetHandleByPciBusId 15"), known_as(), None, None, "has lost the GPU", None),
    "no rates by process": (nvidia(*NO_RATES), known_as(), "device", "process", "whole device", 1),
    "nothing by process": (nvidia(*NO_RATES, *NO_LISTS), known_as(), "device", "device", "whole device", 1),
    "numbers of another namespace": (nvidia(), known_as("4000000"), "device", "process", "other numbers", 1),
    "a desktop before it": (nvidia("process 0 1 1048576 0"), "pass", "process", "process", None, 1),
    "nobody listed": (nvidia("hidden 0 1048576", *NO_RATES), "pass", "device", "device", "whole device", 1),
    "lists that fail": (nvidia(*FAILING_LISTS), known_as(), "device", "device", "does not answer (code 999)", 1),
    "memory not known": (nvidia("process 0 1 1048576 0"), known_as(mb=-1), "process", "device", None, 1),
    "shared out": (nvidia("mig 0", "status GetUtilizationRates 3"), known_as(), "none", "process", "(MIG)", 0),
    "another's device": (nvidia("minor 0 5"), known_as(), None, None, None, None),
    "slow readings": (nvidia("delay GetUtilizationRates 5000"), known_as(), "process", "process", None, 1),
    "slow lists": (nvidia("delay GetComputeRunningProcesses 100000"), known_as(), "process", "process", None, 1),
    "lost on the way": (nvidia("status GetUtilizationRates 15 8"), known_as(), "process", "process", "lost", None),
    "no answer for a while": (nvidia("status GetUtilizationRates 27 8"), known_as(), "process", "process",
                              "does not answer", None),
    "needs a reset": (nvidia("status GetUtilizationRates 16 8"), known_as(), "process", "process", "reset of the GPU", None),
    "an error without a name": (nvidia("status GetUtilizationRates 999 8"), known_as(), "process", "process",
                                "does not answer", None),
    "not started": (nvidia("status GetUtilizationRates 1 8"), known_as(), "process", "process", "(code 1)", None),
    "an older library": (nvidia("status GetUtilizationRates 13"), known_as(), "none", "process", "does not tell", 0),
    "an answer too late": (nvidia("status GetUtilizationRates 10 8"), known_as(), "process", "process",
                           "does not answer (code 10)", None),
    "a question it does not know": (nvidia("status GetUtilizationRates 2"), known_as(), "none", "process",
                                    "does not tell", 0),
    "structures of another version": (nvidia("status GetMemoryInfo 25"), known_as(), "process", "process", None, 1),
    "nobody was busy": (nvidia("status GetProcessUtilization 6"), known_as(), "process", "process", None, 1),
    "WSL": (nvidia(*NO_RATES, *NO_LISTS), known_as(), "device", "device", "whole device", 1),
    "not ready at once": (nvidia("status Init 27 0 1"), known_as(), "process", "process", None, 1),
    "never ready": (nvidia("status Init 999"), known_as(), None, None, "does not answer", None),
    "half a driver": (nvidia("status Init 12"), known_as(), None, None, "lacks a library", None),
    "no driver": (nvidia("status Init 9"), known_as(), None, None, "not loaded", None),
    "no permission": (nvidia("status Init 4"), known_as(), None, None, "no permission", None),
    "two versions": (nvidia("status Init 18"), known_as(), None, None, "different versions", None),
    "no GPU": (nvidia("status Init 28"), known_as(), None, None, "finds no GPU", None),
    "blocked": (nvidia("status GetHandleByIndex 17"), known_as(), None, None, "control group", None),
    "no library": (lambda machine: machine.write("nvml", ""), known_as(), None, None, "libnvidia-ml.so.1 is missing", None),
    "a start that hangs": (nvidia("delay Init 1800000000"), known_as(), None, None, "had not answered", None),
    "a reading that hangs": (nvidia("delay GetUtilizationRates 1800000000 8"), known_as(), "process", "process", None, None),
}


OTHERS = {"half of the work is another's": True, "a desktop before it": True, "memory not known": True,
          **dict.fromkeys(("nothing by process", "lists that fail", "WSL"))}
OPENED = {"WSL": ("/dev/dxg",)}
SERVED = {"no library": {"lib/libnvidia-ml.so.1": lambda *_: "no library at all"}}
SILENT = ("another's device",)
PASSES = "device.settle(8)"  # in each of which a file may be read twice
# What a program does once it has opened the device: it is listed after two looks, and seen in a third; it waits for three
# refusals.
FIRST = {"a desktop before it": "device.until_size('lists', 2); %s; device.until_size('lists', 4)" % known_as(),
         # As long as it takes to call it silent.
         "Neuron that hangs": "import time; device.until_broken(); time.sleep(11); device.rest()",
         "lists that fail": "device.until_size('questions', 3)"}


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """All of this file, by name and at once: they sleep. On one of three interpreters each."""
    folder = tmp_path_factory.mktemp("machines")
    pythons = itertools.cycle(profiling.key_pythons())

    def start(name, prepare, *names, **how):
        return pool.submit(run, next(pythons), folder / name.replace(" ", "-"), prepare, *names, **how)

    with concurrent.futures.ThreadPoolExecutor(len(KERNEL) + AT_ONCE) as pool:
        started = {name: start(name, prepare, *names, more=more, serve=serve, levels=LEVELS.get(name, (80, 20)),
                               is_broken=not check, first=FIRST.get(name, "pass" if check or not serve else PASSES))
                   for name, (prepare, names, serve, more, *_, check) in KERNEL.items()}
        for name, (prepare, more, *expected) in VARIANTS.items():
            started[name] = start(name, prepare, *OPENED.get(name, NAMES), more=more, levels=(80, 20),
                                  is_broken=not expected[-1], first=FIRST.get(name, "pass"), serve=SERVED.get(name), patience=0 if name in SILENT else 60)
        return {name: future.result() for name, future in started.items()}


@pytest.mark.parametrize("name", VARIANTS)
def test_every_nvidia_driver(runs, name):
    _, _, scope, memory_scope, words, factor = VARIANTS[name]
    done = runs[name]
    document = done.profile
    notes = " ".join(document["quality"]["notes"])
    if words:
        assert words in notes
    assert ("other numbers" in notes) == (words == "other numbers")
    if scope is None:
        assert not document["gpu"] and document["gpu_device"] == "" and not any(percents(document))
    else:
        (device,) = document["gpu_devices"]
        assert (device["scope"], device["memory_scope"]) == (scope, memory_scope)
        assert document["gpu"] and device["peak_memory_mb"] > 0
        assert device["method"] == "NVML" and device["other_processes"] == OTHERS.get(name, False)
        assert abs(device["period_s"] * device["readings"] - device["seen_s"]) < 1e-6
        assert scope == "none" or device["readings"] <= done.machine.root.joinpath("reads").stat().st_size  # what is told was asked
    if factor is not None:
        check_curve(done, factor)


def test_only_a_device_in_use_is_attached(runs):
    assert runs["four that the kernel shows"].machine.root.joinpath("attached").stat().st_size == 1


def test_lists_that_fail_are_asked_for_three_times(runs):
    assert runs["lists that fail"].machine.root.joinpath("questions").stat().st_size == 3


@pytest.mark.parametrize("name", ["a start that hangs", "a reading that hangs"])
def test_nobody_waits_for_a_driver(runs, name):
    """The program ran, and its profile was written, while the driver hung; who waited for it is gone."""
    root = runs[name].machine.root
    assert (root / "hanging").exists() and not (root / "hung").exists()
    assert not is_alive(int((root / "reader").read_text()))


def check_nothing(done):
    assert not any(percents(done.profile, done.levels))


def fdinfo(driver, engine, pdev="0000:00:02.0"):
    """Of a descriptor and its copy."""
    def text(machine, _):
        return "drm-driver:\t%s\ndrm-pdev:\t%s\ndrm-client-id:\t4\n%s\n%s:\t64 MiB\n" % (
            driver, pdev, engine(worked_s(machine.steps(), time.monotonic())),
            "drm-memory-vram" if driver == "amdgpu" else "drm-resident-vram0")
    return {"proc/%d/fdinfo/3": text, "proc/%d/fdinfo/4": text}


def nanoseconds(engine):
    return lambda worked: "drm-engine-%s:\t%d ns" % (engine, worked * 1e9)


def cycles(worked):
    """On xe, of all cycles of an engine of 1 GHz."""
    return "drm-cycles-rcs:\t%d\ndrm-total-cycles-rcs:\t%d" % (worked * 1e9, time.monotonic() * 1e9)


def amd_card(machine, number, kfd_id):
    """The card `number`, at bus `number` + 2."""
    for name, text in {"vendor": "0x1002", "uevent": "DRIVER=amdgpu\nPCI_SLOT_NAME=0000:%02x:00.0\n" % (number + 2),
                       "mem_info_vram_total": "17163091968", "mem_info_vram_used": "8000000000",
                       "drm/renderD%d/dev" % (128 + number): "226:%d" % (128 + number)}.items():
        machine.write("sys/class/drm/card%d/device/%s" % (number, name), text)
    node = "sys/class/kfd/kfd/topology/nodes/%d/" % number
    machine.write(node + "gpu_id", str(kfd_id))
    machine.write(node + "properties", "location_id %d\ndomain 0\n" % ((number + 2) << 8))


def amd(machine):
    amd_card(machine, 1, 4242)
    machine.write("sys/class/kfd/kfd/topology/nodes/0/gpu_id", "0")
    machine.write("sys/class/kfd/kfd/topology/nodes/0/properties", "cpu_cores_count 8\n")


# The first is read by this source alone, and says that the process computes nothing.
AMD_GRAPHICS = {"sys/class/kfd/kfd/proc/%d/vram_4242": lambda *_: "",
                **fdinfo("amdgpu", nanoseconds("gfx"), "0000:03:00.0")}
# Of ROCm the device's own counter, and the process's memory, are read; the one when the other is.
AMD_COMPUTE = {"sys/class/drm/card1/device/gpu_busy_percent": lambda machine, _: "%d\n" % machine.steps()[-1][1]}


def amd_compute(machine):
    amd(machine)
    (machine.root / "sys/class/kfd/kfd/proc").symlink_to(machine.root / "kfd")


def amd_unused_beside(machine):
    """Another card, which the runtime has opened as well and on which the process has a page."""
    amd_compute(machine)
    amd_card(machine, 2, 4343)
    machine.write("sys/class/drm/card2/device/gpu_busy_percent", "0")


def amd_refusing(machine):
    amd_compute(machine)
    (machine.root / "sys/class/drm/card1/device/gpu_busy_percent").mkdir()  # can be opened, and not be read


def neuron(mode):
    def prepare(machine):
        machine.write("neuron-mode", mode)
        script = machine.root / "bin" / "neuron-monitor"
        script.parent.mkdir()
        shutil.copy(profiling.TARGETS / "accelerators" / "neuron_monitor.py", script)
        script.chmod(0o755)
    return prepare


RENDER = ("/dev/dri/renderD128",) * 2
KFD_MEMORY = """os.makedirs(device.ROOT / "kfd" / str(os.getpid())); device.add("kfd/%%d/vram_4242" %% os.getpid(), "%d")""" % (
    512 * MB)
KFD_PAGE = """; device.add("kfd/%d/vram_4343" % os.getpid(), "4096")"""
KFD_SERVED = {"kfd/%d/vram_4242": lambda *_: str(512 * MB)}  # which no other source reads
MUTE = {"proc/%d/fdinfo/3": lambda *_: "pos:\t0\nflags:\t02100002\n"}
# name: preparation, device files, files that are served, the program's line, vendor, whose work, MB, and what is checked
KERNEL = {
    "Intel i915": (lambda _: None, RENDER, fdinfo("i915", nanoseconds("render")), "pass", "Intel", "process", 64, check_work),
    "Intel xe": (lambda _: None, RENDER, fdinfo("xe", cycles), "pass", "Intel", "process", 64, check_work),
    "Arm panfrost": (lambda _: None, RENDER, fdinfo("panfrost", nanoseconds("fragment")), "pass", "Arm", "process", 64, check_work),
    "AMD graphics": (amd, ("/dev/dri/renderD129",) * 2, AMD_GRAPHICS, "pass", "AMD", "process", 64, check_work),
    "AMD ROCm": (amd_compute, ("/dev/kfd", "/dev/dri/renderD129"), AMD_COMPUTE, KFD_MEMORY, "AMD", "device", 512, check_curve),
    "AMD ROCm, one of two": (amd_unused_beside, ("/dev/kfd", "/dev/dri/renderD129", "/dev/dri/renderD130"), AMD_COMPUTE,
                             KFD_MEMORY + KFD_PAGE, "AMD", "device", 512, check_curve),
    "AMD that refuses": (amd_refusing, ("/dev/dri/renderD129", "/dev/kfd"), KFD_SERVED, "pass", "AMD", "none", 512, None),
    "AMD without a card": (lambda _: None, ("/dev/dri/renderD128", "/dev/kfd"), MUTE, "pass", None, None, 0, None),
    "a driver that tells nothing": (lambda _: None, RENDER[:1], MUTE, "pass", None, None, 0, None),
    "a driver without engines": (lambda _: None, RENDER, fdinfo("nouveau", lambda _: ""), "pass", "NVIDIA", "none", 64,
                                 check_nothing),
    "AWS Neuron": (neuron("works"), ("/dev/neuron0",), None, "pass", "AWS", "process", 64, check_curve),
    "Neuron with garbage": (neuron("garbage"), ("/dev/neuron0",), None, "pass", "AWS", "process", 64, check_curve),
    "Neuron that floods": (neuron("floods"), ("/dev/neuron0",), None, "pass", "AWS", "process", 64, check_curve),
    "Neuron that breaks off": (neuron("breaks off"), ("/dev/neuron0",), None, "pass", "AWS", "process", 64, None),
    "Neuron that hangs": (neuron("hangs"), ("/dev/neuron0",), None, "pass", "AWS", "process", 64, None),
    "Neuron that ends": (neuron("ends"), ("/dev/neuron0",), None, "pass", None, None, 0, None),
}
SAID = {"Neuron that ends": "neuron-monitor", "Neuron that breaks off": "neuron-monitor has ended",
        "Neuron that hangs": "neuron-monitor is silent",
        "AMD that refuses": "could not be measured all the time",
        "AMD without a card": "no card of AMD's", "a driver that tells nothing": "no fdinfo",
        "a driver without engines": "memory only"}
METHODS = {"AMD": "sysfs, fdinfo, kfd", "AWS": "neuron-monitor"}
LEVELS = {"Intel xe": (80,)}  # read once a second
AT_ONCE = 10


@pytest.mark.parametrize("name", KERNEL)
def test_every_other_source(runs, name):
    _, _, _, _, vendor, scope, mb, check = KERNEL[name]
    document = runs[name].profile
    notes = " ".join(document["quality"]["notes"])
    assert SAID.get(name, "") in notes and ("no fdinfo" in notes) == (vendor is None and "Neuron" not in name)
    if vendor is None:
        assert not document["gpu"] and not any(percents(document))
        return
    (device,) = document["gpu_devices"]
    assert (device["vendor"], device["scope"], device["memory_scope"]) == (vendor, scope, "process")
    assert document["gpu_device"] == ("Neuron" if vendor == "AWS" else "GPU")
    assert abs(device["peak_memory_mb"] - mb) < 0.01
    assert device["method"] == METHODS.get(vendor, "fdinfo") and device["other_processes"] == (vendor == "AWS" or None)
    if check:
        check(runs[name])


def is_gone(pid):
    """Or dead, and nobody has asked for it yet."""
    try:
        with open("/proc/%d/stat" % pid, encoding="utf-8") as file:
            return file.read().rpartition(")")[2].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


@pytest.mark.parametrize("name", [name for name in KERNEL if "Neuron" in name])
def test_no_monitor_is_left(runs, name):
    """Nor one that listens to no signal."""
    pid = int((runs[name].machine.root / "monitor").read_text())
    until = time.monotonic() + profiling.TIMEOUT_S
    while not is_gone(pid) and time.monotonic() < until:
        time.sleep(0.01)
    assert is_gone(pid)


def test_the_terminal_shows_both_and_says_which_is_which(runs, tmp_path):
    path = tmp_path / "p.json"
    path.write_text(json.dumps(runs["records of 16 bytes"].profile))
    shown = profiling.call([profiling.SCALENE, "view", "--cli", path], env={"COLUMNS": "140", "PATH": ""}).stdout
    assert "GPU" in shown and "how busy it was while a thread was on the line" in shown and "300M" in shown.replace(" ", "")
