# SPDX-License-Identifier: Apache-2.0
"""Traces that a program writes with its own profiler, and the commands of the package about accelerators."""

import gzip
import json
import os
import subprocess

import profiling
import pytest

TRACING = """import gzip, json, os
os.makedirs("logs/plugins/profile/1", exist_ok=True)
events = [
    {"ph": "X", "cat": "python_function", "name": "program.py(1): main", "pid": 1, "tid": 1, "ts": 0, "dur": 9000},
    {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 10, "dur": 800, "args": {"External id": 5}},
    {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 50, "dur": 7000, "args": {"External id": 5}},
]
with gzip.open("logs/plugins/profile/1/host.trace.json.gz", "wt") as file:
    json.dump({"traceEvents": events}, file)
"""


@pytest.mark.parametrize("options", [["--trace", "logs"], ["--torch"]], ids=["trace", "torch"])
def test_a_trace_becomes_operators_of_the_profile(program, profile, options):
    path = program(TRACING)
    operators = profile(profiling.key_pythons()[-1], path, options=options).profile["trace_operators"]
    assert operators == [
        {"name": "aten::mm", "device": "gpu", "filename": str(path), "lineno": 1, "count": 1, "seconds": 0.007},
        {"name": "aten::mm", "device": "cpu", "filename": str(path), "lineno": 1, "count": 1, "seconds": 0.0008},
    ]


TRACES = profiling.TARGETS / "traces"  # written by the libraries themselves, from programs with these functions


def own_times(events):
    """Of each operator, by name: how often, and microseconds without those of the operators within."""
    sums = {}
    for event in events:
        end = event["ts"] + event["dur"]
        inner = [other for other in events if other is not event and event["ts"] <= other["ts"]
                 and other["ts"] + other["dur"] <= end and other["dur"] < event["dur"]]
        direct = [one for one in inner if not any(
            other is not one and other["ts"] <= one["ts"] and one["ts"] + one["dur"] <= other["ts"] + other["dur"]
            and other["dur"] > one["dur"] for other in inner)]
        count, took = sums.get(event["name"], (0, 0))
        sums[event["name"]] = (count + 1, took + event["dur"] - sum(other["dur"] for other in direct))
    return sums


def imported(program, profile, trace, name):
    path = program("pass\n", name)  # as good as no line of it is in the profile
    return path, profile(profiling.key_pythons()[-1], path, options=["--trace", TRACES / trace]).profile["trace_operators"]


@pytest.mark.parametrize("trace", ["torch-1.12", "torch-1.13"])
def test_what_torch_wrote(program, profile, trace):
    path, operators = imported(program, profile, trace + ".trace.json.gz", "net.py")
    document = json.loads(gzip.open(TRACES / (trace + ".trace.json.gz")).read())
    events = document if isinstance(document, list) else document["traceEvents"]
    expected = own_times([event for event in events if event.get("cat", "cpu_op") == "cpu_op" and event["ph"] == "X"])
    got = {}
    for one in operators:
        count, seconds = got.get(one["name"], (0, 0))
        got[one["name"]] = (count + one["count"], seconds + one["seconds"])
    assert {name: count for name, (count, _) in got.items()} == {name: count for name, (count, _) in expected.items()}
    assert all(abs(got[name][1] - took / 1e6) < 1e-9 for name, (_, took) in expected.items()), (got, expected)
    # The first of these was written with stacks: the functions that called, and not torch's own.
    places = {(one["name"], one["filename"], one["lineno"]) for one in operators}
    wanted = {("aten::mm", str(path), 5), ("aten::clamp_min", str(path), 5), ("aten::div", str(path), 10),
              ("aten::frobenius_norm", str(path), 10)}
    assert wanted <= places if trace == "torch-1.12" else {place[1:] for place in places} == {(None, 0)}


def test_what_jax_wrote_is_the_same_in_both_forms(program, profile):
    path, chrome = imported(program, profile, "jax-0.12.trace.json.gz", "train.py")
    _, plane = imported(program, profile, "jax-0.12.xplane.pb.gz", "train.py")
    chrome, plane = (sorted(some, key=lambda one: (one["name"], one["lineno"])) for some in (chrome, plane))
    assert [(one["name"], one["lineno"], one["count"]) for one in chrome] == [
        (one["name"], one["lineno"], one["count"]) for one in plane]
    # One has picoseconds, the other microseconds with a fraction of some digits.
    assert all(abs(one["seconds"] - other["seconds"]) < 2e-9 * one["count"] for one, other in zip(chrome, plane))
    found = {one["name"]: one for one in chrome}
    assert found["sort.0"]["count"] == 4 and found["sort.0"]["seconds"] > 0 and found["tanh_add_fusion"]["count"] == 2
    assert found["PjitFunction(step)"]["filename"] == str(path) and found["PjitFunction(step)"]["lineno"] == 10
    assert not [name for name in found if name.startswith("end: ")]


def test_a_trace_that_is_not_there_loses_nothing(program, profile):
    run = profile(profiling.key_pythons()[-1], program("print(1)"), options=["--trace", "nowhere.json"])
    assert run.status == 0 and run.stdout == "1\n" and "no trace was added: cannot open the trace nowhere.json" in run.stderr
    assert run.profile["trace_operators"] == [] and "No trace was added" in " ".join(run.profile["quality"]["notes"])


def module(name, *words, **how):
    environment = {**os.environ, "PYTHONPATH": str(profiling.ROOT / "python")}
    command = [profiling.key_pythons()[0].path, "-m", "scalene." + name, *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, env=environment, **how)


def test_gpu_modes_need_not_be_set():
    done = module("set_nvidia_gpu_modes")
    assert done.returncode == 0 and "Nothing has to be set" in done.stdout


def event(name, start_ms, length_ms, process=1, **args):
    return {"name": name, "process_id": process, "thread_id": 1, "timestamp": start_ms * 10**6, "duration": length_ms * 10**6,
            "args": args}


@pytest.mark.parametrize("others", [0, 1])
def test_a_neuron_trace_is_merged(tmp_path, others):
    """Another process that the trace has too changes nothing, though its calls are between and its numbers the same."""
    line = {"lineno": 2, "line": "f()\n", "cpu_samples_list": [5.001, 5.02, 5.2]}
    profile = {"start_time_absolute": 1000.0, "start_time_perf": 5.0, "files": {
        "/x/net.py": {"lines": [{"lineno": 1, "line": "", "cpu_samples_list": []}, line]}}}
    base = 1000 * 1000
    events = [event("nrt_execute", base, 40), event("kbl_exec_pre", base + 1, 1, exec_id=9),
              event("nc_exec_running", base + 10, 20, exec_id=9), event("nrt_execute", base + 100, 60),
              event("nc_exec_running", base + 500, 20, exec_id=8)]
    strangers = [event("nrt_execute", base - 50, 900, process=2), event("nc_exec_running", base, 900, process=2, exec_id=9),
                 event("nrt_execute", base + 50, 7, process=2)]
    events += others * strangers
    (tmp_path / "p.json").write_text(json.dumps(profile))
    (tmp_path / "t.json").write_text(json.dumps({"trace_event": events}))
    (tmp_path / "debug_rank_0.txt").write_text("PID: 1\nSOURCE: net.py:2\nKERNEL: k\n---\nPID: 1\nSOURCE: other.py:4\n")
    done = module("merge_scalene_neuron_profiles", "p.json", "t.json", "out.json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    merged = json.loads((tmp_path / "out.json").read_text())
    found = merged["files"]["/x/net.py"]["lines"][1]
    assert (found["nrt_time_ms"], found["nrt_execute_count"], found["nc_time_ms"], found["nc_execute_count"]) == (40, 1, 20, 1)
    assert found["nrt_percent"] == 40 and found["nc_percent"] == 50 and found["nc_nrt_ratio"] == 0.5
    assert found["cpu_samples_nc_overlap_count"] == 1 and found["cpu_samples_total_count"] == 3
    assert merged["neuron_total_time_ms"] == 100 and merged["neuron_nc_event_count"] == 2
    assert merged["cpu_samples_total_with_nc_overlap"] == 1 and merged["cpu_samples_total"] == 3


def test_a_bad_neuron_trace_is_refused_with_a_sentence(tmp_path):
    (tmp_path / "p.json").write_text("{}")
    for words in ([], ["p.json", "p.json", "o.json"], ["nowhere", "p.json", "o.json"]):
        done = module("merge_scalene_neuron_profiles", *words, cwd=tmp_path)
        assert done.returncode == 1 and len(done.stderr.splitlines()) == 1 and not (tmp_path / "o.json").exists()
