# SPDX-License-Identifier: Apache-2.0
"""Validates saved profiles against the schema and the rules that a schema cannot express.

usage: check_document.py SCHEMA SAVE_SAMPLE
"""

import json
import re
import math
import pathlib
import subprocess
import sys
import tempfile
import zipfile

import jsonschema

SOURCE = 'import sys\ndef outer():\n    def inner(): return "<&>"  # \u4e2d\n    return inner\n'


# Of these there are many: a frame of a stack, a stretch of the timeline.
ON_ONE_LINE = re.compile(r'\{\n +("(?:display_name": |count": \d+,\n +"stack_index)[^{}]*?)\n +\}')


def canonical(document):
    """Keys in order, indented by four, but for what stands on one line."""
    text = json.dumps(document, sort_keys=True, indent=4) + "\n"
    return ON_ONE_LINE.sub(lambda found: "{%s}" % re.sub(r"\n +", " ", found[1]), text)


def check_record(record):
    shares = record["n_cpu_percent_c"] + record["n_cpu_percent_python"] + record["n_sys_percent"]
    assert math.floor(shares) <= 100, record
    assert record["n_avg_mb"] <= record["n_peak_mb"], record
    assert record["cpu_samples_list"] == sorted(record["cpu_samples_list"]), record


def check_file(file):
    for index, line in enumerate(file["lines"]):
        assert line["lineno"] == index + 1, line
        check_record(line)
    for function in file["functions"]:
        check_record(function)
    numbers = [function["lineno"] for function in file["functions"]]
    assert numbers == sorted(numbers), numbers
    shares = sum(
        line["n_cpu_percent_c"] + line["n_cpu_percent_python"] + line["n_sys_percent"]
        for line in file["lines"]
    )
    assert shares <= 100.001, shares
    assert abs(shares - file["percent_cpu_time"]) < 0.001, (shares, file["percent_cpu_time"])


def check(text, validator):
    document = json.loads(text)
    validator.validate(document)
    assert text == canonical(document), "not in canonical form"
    assert "native_stacks" not in document
    for file in document["files"].values():
        check_file(file)
    for run in document["combined_stacks_timeline"]:
        assert run["stack_index"] < len(document["combined_stacks"]), run
    return document


def save(saver, folder, *args):
    out = folder / "profile.json"
    subprocess.run([saver, str(out), *args], check=True)
    return out.read_text(encoding="ascii")


def lines_of(document, path):
    return [line["line"] for line in document["files"][str(path)]["lines"]]


def check_sources(saver, folder, validator):
    """From a file, from a zip archive, in another encoding, and from nowhere."""
    plain = folder / "plain.py"
    plain.write_text(SOURCE, encoding="utf-8")
    document = check(save(saver, folder, str(plain)), validator)
    escaped = [
        line.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
        for line in SOURCE.splitlines(keepends=True)
    ]
    assert lines_of(document, plain) == escaped
    file = document["files"][str(plain)]
    assert file["imports"] == ["import sys"]
    assert [function["line"] for function in file["functions"]] == [
        "outer.\\u003clocals\\u003e.inner"
    ]
    assert file["lines"][2]["start_function_line"] == 3
    assert file["lines"][2]["cpu_samples_list"] == [11.25, 12.5, 13.0]
    assert file["lines"][2]["n_core_utilization"] == 0.5
    assert file["lines"][2]["wait_s"] == {"child": 0.25, "gil": 0.75}
    assert file["lines"][2]["memory_samples"] == [[250000000, 200.0], [500000000, 20.0]]
    assert file["lines"][2]["n_python_fraction"] == 0.25
    assert file["lines"][2]["n_copy_mb_s"] == 50.0
    assert document["totals"]["unattributed_at_peak_mb"] == -5.0
    assert document["max_footprint_lineno"] == 3 and document["samples"] == [[250000000, 250.0]]
    assert document["memory_stacks"][0][1] == 300.0

    for method in (zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED):
        archive = folder / f"app{method}.pyz"
        with archive.open("wb") as stream:
            stream.write(b"#!/usr/bin/env python3\n")
            with zipfile.ZipFile(stream, "w", method) as members:
                members.writestr("other.py", "x\n")
                members.writestr("pkg/mod.py", SOURCE)
        document = check(save(saver, folder, f"{archive}/pkg/mod.py"), validator)
        assert lines_of(document, f"{archive}/pkg/mod.py") == escaped

    latin = folder / "latin.py"
    latin.write_bytes(b"# caf\xe9\r\nx = 1\ry = 2\nz")
    document = check(save(saver, folder, str(latin)), validator)
    assert lines_of(document, latin) == ["# caf\ufffd\r\n", "x = 1\r", "y = 2\n", "z"]

    document = check(save(saver, folder, "/nowhere/gone.py"), validator)
    assert lines_of(document, "/nowhere/gone.py") == ["", "", ""]
    assert document["files_below_threshold"]["count"] == 1
    assert document["stacks"][0][0] == ["/x/main.py main:9;"]
    assert document["stacks"][0][1]["python_time"] == round(0.5 / 1.2, 9)


def check_refusals(saver, folder, schema):
    """The schema must be able to fail."""
    validator = jsonschema.Draft202012Validator(schema)
    text = save(saver, folder, "/nowhere/gone.py")
    for change in (
        lambda d: d.update(native_stacks=[]),
        lambda d: d.pop("quality"),
        lambda d: d["files"]["/nowhere/gone.py"]["lines"][0].update(n_sys_percent=100.5),
        lambda d: d["totals"]["wait_s"].update(boredom=1),
        lambda d: d["processes"][1].pop("why_not"),
        lambda d: d["combined_stacks"][0].append(1),
        lambda d: d.update(memory=1),
        lambda d: d["files"]["/nowhere/gone.py"]["lines"][2].update(live_at_peak_mb=-1),
        lambda d: d.update(samples=[[0, 1.0]] * 101),
    ):
        document = json.loads(text)
        change(document)
        assert not validator.is_valid(document)


def main():
    schema = json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))
    saver = sys.argv[2]
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        check_sources(saver, folder, validator)
        document = check(save(saver, folder), validator)
        assert document["files"] == {} and document["quality"]["notes"], document
        check_refusals(saver, folder, schema)
    for path in sorted(pathlib.Path(__file__).parents[2].glob("golden/*.json")):
        if path.stem != "original":
            check(path.read_text(encoding="ascii"), validator)
    print("documents are as the schema says")


if __name__ == "__main__":
    main()
