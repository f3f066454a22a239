# SPDX-License-Identifier: Apache-2.0
"""`scalene view --format md` and `json`: a digest that a model can read, whatever the profile holds."""

import json
import re

import pytest
from cli_runner import ROOT, scalene
from viewing import document, line_record, write_profile

TOKENS = 4000
PIECE = re.compile(r"[A-Za-z]{1,3}|[0-9]{1,3}|[^\sA-Za-z0-9]|\n|[ \t]{2,16}")


def tokens(text):
    """No tokenizer in use makes more of a text: bytes that are not ASCII count one each."""
    return sum(len(piece.encode()) if not piece.isascii() else 1 for piece in PIECE.findall(text))


def finding(number, words):
    return {"id": "hot-line", "severity": "high", "weight": 1 / (number + 1), "evidence": [], "sentence": words,
            "how_measured": words, "next_step": words, "where": []}


def large(text, words, count=1000):
    lines = [line_record(number, text, cpu_python_s=1.0 / number, n_peak_mb=3.0, wait_s={"lock": 0.5})
             for number in range(1, count)]
    return document({"/x/a.py": lines, "/x/b.py": lines[:50]}, findings=[finding(n, words) for n in range(8)])


CASES = {
    "small": large("total += i", "One line took most.", 4),
    "many lines": large("value = compute(first, second)[index] * 3.14159", "A line took 31% of the time."),
    "long lines": large("x" * 2000, "w" * 2000),
    "odd names": large("qzx_wvk(jhg[0x1f2e], kkz.pqr)" * 20, "qzx wvk jhg " * 60),
    "other letters": large("größe = 变量 + 'ナメクジ'" * 30, "Die Zeile nahm 变量 " * 40),
    "marks": large("((([[[{{{---***|||" * 30, "<|>&\\`*_#" * 50),
}


@pytest.mark.parametrize("name", CASES)
def test_a_digest_fits_whatever_the_profile_holds(tmp_path, name):
    path = write_profile(tmp_path, CASES[name])
    markdown = scalene("view", "--format", "md", path).stdout
    text = scalene("view", "--format", "json", path).stdout
    assert 0 < tokens(markdown) <= TOKENS and 0 < tokens(text) <= TOKENS
    read = json.loads(text)
    assert len(read["findings"]) + read["findings_left_out"] == 8
    all_lines = sum(len(file["lines"]) for file in CASES[name]["files"].values())
    assert len(read["lines"]) + read["lines_left_out"] == all_lines
    times = [line["cpu_s"] for line in read["lines"]]
    assert times == sorted(times, reverse=True)
    assert scalene("view", "--format", "md", path).stdout == markdown


def test_the_usual_profile_has_its_lines(tmp_path):
    path = write_profile(tmp_path, CASES["many lines"])
    read = json.loads(scalene("view", "--format", "json", path).stdout)
    assert len(read["findings"]) == 8 and len(read["lines"]) >= 10
    assert read["verdict"]["time"].startswith("Of 10.000s") and read["total_s"] == 10 and read["memory"] is None
    markdown = scalene("view", "--format", "md", path).stdout
    order = [markdown.index(part) for part in ("Of 10.000s", "Findings", "| Line |", "more lines", "scalene propose")]
    assert order == sorted(order)


def test_fewer_lines_and_another_order_can_be_asked_for(tmp_path):
    path = write_profile(tmp_path, CASES["many lines"])
    read = json.loads(scalene("view", "--format", "json", "--rows", "2", "--sort", "memory", path).stdout)
    assert len(read["lines"]) == 2


def keys_of(digest):
    entries = [digest, digest["verdict"], *digest["lines"], digest["memory"] or {}, *digest["findings"]]
    return {key for entry in entries for key in entry}


@pytest.mark.parametrize("name", ["async", "gpu", "memory", "mixed"])
def test_the_document_names_every_key_and_keys_are_in_order(name):
    result = scalene("view", "--format", "json", ROOT / "tests/golden" / (name + ".json"))
    told = (ROOT / "docs/agents.md").read_text()
    digest = json.loads(result.stdout)
    missing = [key for key in keys_of(digest) - {"weight", "how_measured"} if "`%s`" % key not in told]
    assert missing == [] and list(digest) == sorted(digest) and list(digest["verdict"]) == sorted(digest["verdict"])
