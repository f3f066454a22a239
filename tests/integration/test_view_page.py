# SPDX-License-Identifier: Apache-2.0
"""Pages that `scalene view` writes: what is in them, and what can never get out of them."""

import base64
import gzip
import hashlib
import html.parser
import json
import os
import re

import pytest
from cli_runner import ROOT, scalene
from viewing import document, line_record, write_profile

SOURCE = "x = '</script><script>alert(1)</script>'"
PATH = "/x/<b>&'\"\u202e\x1b[31m.py"
FINDING = {
    "id": "hot-line", "severity": "high", "weight": 0.8, "sentence": "<img src=x onerror=alert(1)> took 80%",
    "how_measured": "Measured.", "next_step": "Do less.", "evidence": [], "where": [],
}


class Reader(html.parser.HTMLParser):
    """The elements of a page that matter: text outside of scripts, and each script by its id."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.tags, self.words, self.scripts, self.policy = [], "", {}, ""
        self.inside = None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.tags.append(tag)
        if tag in ("script", "style"):
            self.inside = attributes.get("id", tag)
            self.scripts[self.inside] = ""
        if attributes.get("http-equiv") == "Content-Security-Policy":
            self.policy = attributes["content"]
        assert not any(name.startswith("on") for name in attributes), attributes

    def handle_endtag(self, tag):
        if tag in ("script", "style"):
            self.inside = None

    def handle_data(self, data):
        if self.inside:
            self.scripts[self.inside] += data
        else:
            self.words += data


def unpacked(text):
    return gzip.decompress(base64.b64decode(text)).decode()


@pytest.fixture
def hostile(tmp_path):
    lines = [line_record(1, SOURCE.replace("<", "\\u003c").replace(">", "\\u003e"), cpu_python_s=7.9)]
    return write_profile(tmp_path, document({PATH: lines}, findings=[FINDING], findings_left_out=1))


def written(path, *options):
    page = path.parent / "page.html"
    result = scalene("view", *options, "-o", page, path)
    assert result.returncode == 0, result.stderr
    assert f"Profile saved to: {page}" in result.stdout
    return page.read_text(encoding="utf-8")


@pytest.mark.parametrize("option", ["--html", "--standalone"])
def test_names_from_the_profile_stay_text(hostile, option):
    page = Reader(written(hostile, option))
    assert "<img src=x onerror=alert(1)> took 80%" in page.words
    assert "img" not in page.tags and "b" not in page.tags
    assert page.tags.count("script") == 4  # configuration, form, one source, the page's own
    assert "\x1b" not in page.words and "\u202e" not in page.words
    assert "And 1 more" in page.words


@pytest.mark.parametrize("option", ["--html", "--standalone"])
def test_the_page_has_form_and_source(hostile, option):
    page = Reader(written(hostile, option))
    form, source = page.scripts["scalene-form"], page.scripts["scalene-source-0"]
    if option == "--standalone":
        form, source = unpacked(form), unpacked(source)
        assert source == SOURCE + "\n"
    else:
        assert json.loads(source) == SOURCE + "\n"
    form = json.loads(form)
    assert form["form_version"] == 1
    assert form["strings"][form["files"]["path"][0]] == PATH
    assert form["lines"]["python_s"] == [7.9]
    assert form["findings"][0]["sentence"] == FINDING["sentence"]
    assert json.loads(page.scripts["scalene-config"])["mode"] == option[2:]


def test_a_written_page_can_reach_nothing(hostile):
    page = Reader(written(hostile, "--standalone"))
    assert "default-src 'none'" in page.policy and "connect-src 'none'" in page.policy
    assert "unsafe" not in page.policy and "sha256-" in page.policy
    assert "link" not in page.tags and "iframe" not in page.tags


def test_the_policy_names_the_very_script(hostile):
    page = Reader(written(hostile, "--standalone"))
    for name in ("script", "style"):
        digest = base64.b64encode(hashlib.sha256(page.scripts[name].encode()).digest()).decode()
        assert f"'sha256-{digest}'" in page.policy


def test_the_same_profile_gives_the_same_bytes(hostile):
    assert written(hostile, "--standalone") == written(hostile, "--standalone")


def test_no_source_leaves_the_source_out(hostile):
    page = written(hostile, "--html", "--no-source")
    assert "scalene-source-0" not in page and "alert(1)</script>" not in page
    assert "alert(1)\\u003c/script>'" not in page


def test_the_default_name_and_what_it_contains(hostile):
    result = scalene("view", "--standalone", hostile, cwd=hostile.parent)
    assert "Profile saved to: scalene-profile.html" in result.stdout
    assert "the source text of 1 file" in result.stdout
    page = (hostile.parent / "scalene-profile.html").read_text()
    assert "It contains the command line and the source text of 1 file." in page


def test_no_key_and_no_variable_gets_into_a_page(hostile, monkeypatch):
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "AWS_SECRET_ACCESS_KEY", "SOME_VARIABLE"):
        monkeypatch.setenv(name, "planted-key-41")
    assert "planted-key-41" not in written(hostile, "--html")


def test_keys_from_the_environment_are_for_the_browser(hostile):
    for option in ("--cli", "--html", "--standalone"):
        result = scalene("view", option, "--api-keys-from-env", hostile, cwd=hostile.parent)
        assert result.returncode == 1
        assert "only works in the browser" in result.stderr


def test_a_place_that_cannot_be_written_is_said(hostile):
    elsewhere = {**os.environ, "TMPDIR": str(hostile.parent)}
    result = scalene("view", "--html", "-o", "/proc/page.html", hostile, env=elsewhere)
    assert "/proc/page.html" in result.stderr
    assert f"Profile saved to: {hostile.parent}" in result.stdout


def test_the_static_part_says_that_nothing_stands_out(tmp_path):
    quiet = write_profile(tmp_path, document({"/x/p.py": [line_record(1, "x", cpu_python_s=0.1)]}))
    assert "Nothing stands out: no line" in Reader(written(quiet, "--html")).words


def test_a_hosted_page_has_no_profile_and_may_ask_its_own_server_alone(tmp_path):
    page = tmp_path / "index.html"
    result = scalene("view", "--hosted", "-o", page, cwd=tmp_path)
    assert result.returncode == 0 and f"Page saved to: {page}" in result.stdout
    read = Reader(page.read_text(encoding="utf-8"))
    assert "connect-src 'self'" in read.policy and "unsafe" not in read.policy
    assert json.loads(read.scripts["scalene-config"])["mode"] == "hosted"
    assert "scalene-form" not in read.scripts and "profile.json" in read.words
    for words in (["p.json"], ["--standalone"], ["--html"]):
        refused = scalene("view", "--hosted", *words, cwd=tmp_path)
        assert refused.returncode == 1 and "--hosted" in refused.stderr


def test_an_empty_profile_is_a_page_with_the_reason(tmp_path):
    page = Reader(written(write_profile(tmp_path, {}), "--html"))
    assert "scalene-form" in page.scripts
    assert "What stands out" in page.words


def test_every_key_of_the_form_is_documented(hostile):
    known = set(re.findall(r"`([a-z_]+)`", (ROOT / "docs/viewer-form.md").read_text(encoding="utf-8")))
    known |= {f"wait_{kind}_s" for kind in "gil lock sleep disk network pipe child gpu other".split()}
    example = json.loads((ROOT / "tests/targets/viewer/example.json").read_text())
    form = json.loads(Reader(written(hostile, "--html")).scripts["scalene-form"])
    assert set(form) == set(example)
    for made in (form, example):
        keys = set(made)
        for part in made.values():
            for table in part if isinstance(part, list) else [part]:
                keys |= set(table) if isinstance(table, dict) else set()
        assert keys <= known, keys - known
