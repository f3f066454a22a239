# SPDX-License-Identifier: Apache-2.0
"""The server of `scalene view`: whom it answers, how long it lives, where it listens."""

import json
import os
import socket
import subprocess
import time

import profiling
import pytest
from cli_runner import SCALENE, scalene
from endings import wait_until
from ports import free_port
from viewing import document, line_record, viewer, write_profile

LINGER_S = 1
BEAT_S = 5


@pytest.fixture(scope="module")
def profile(tmp_path_factory):
    lines = [line_record(1, "work()", cpu_python_s=7.9)]
    other = [line_record(1, "x", cpu_python_s=0.5)]
    return write_profile(tmp_path_factory.mktemp("served"), document({"/x/prog.py": lines, "/x/a.py": other}))


@pytest.fixture(scope="module")
def served(profile):
    with viewer("--no-browser", profile) as running:
        yield running


def test_the_page_is_there_and_readable_without_scripts(served):
    status, headers, body = served.ask()
    assert status == 200 and headers["Content-Type"].startswith("text/html")
    assert b"79% Python" in body or b"Of 10.000s" in body
    assert b'id="scalene-static"' in body and b'src="page.js"' in body


def test_the_first_answer_comes_at_once(served):
    """In CPU time of the server: others on the machine do not count."""
    before_s = served.cpu_s()
    for _ in range(5):
        served.ask()
    assert served.cpu_s() - before_s < 5 * 0.15


def test_everything_the_page_asks_for_is_there(served):
    for path, kind in {"page.js": "text/javascript", "page.css": "text/css", "form.json": "application/json",
                       "source/0": "text/plain", "source/1": "text/plain"}.items():
        status, headers, body = served.ask(path)
        assert status == 200 and headers["Content-Type"].startswith(kind) and body
    form = json.loads(served.ask("form.json")[2])
    assert form["strings"][form["files"]["path"][0]] == "/x/prog.py"
    assert served.ask("source/0")[2] == b"work()\n"


@pytest.mark.parametrize("path", ["source/2", "source/../form.json", "../../etc/passwd", "etc/passwd",
                                  "source/%2e%2e/form.json", "source/0/", "index.html"])
def test_no_other_file_is(served, path):
    status, _, body = served.ask(path)
    assert status in (403, 404) and len(body) < 200


def test_answers_forbid_what_a_page_need_not_do(served):
    for path in ("", "form.json", "nothing"):
        _, headers, _ = served.ask(path)
        assert "default-src 'none'" in headers["Content-Security-Policy"]
        assert "unsafe" not in headers["Content-Security-Policy"]
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "no-referrer"
        assert headers["Cache-Control"] == "no-store"
        assert "Access-Control-Allow-Origin" not in headers


def test_strangers_are_refused(served):
    assert served.ask(base="/")[0] == 403
    assert served.ask(base="/" + "0" * 32 + "/")[0] == 403
    assert served.ask(Host="evil.example")[0] == 403
    assert served.ask(Host=f"evil.example:{served.port}")[0] == 403
    assert served.ask(Origin="http://evil.example")[0] == 403
    assert served.ask(Sec_Fetch_Site="cross-site")[0] == 403
    for method in ("POST", "PUT", "DELETE", "OPTIONS"):
        assert served.ask(method=method, body=b"x" * 1000)[0] == 405


def test_a_link_from_another_site_opens_the_page_and_nothing_else(served):
    link = {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "navigate", "Sec_Fetch_Dest": "document"}
    assert served.ask(**link)[0] == 200
    assert served.ask("form.json", **link)[0] == 403
    assert served.ask(base="/" + "0" * 32 + "/", **link)[0] == 403
    assert served.ask(**{**link, "Sec_Fetch_Dest": "iframe"})[0] == 403
    assert served.ask(**{**link, "Sec_Fetch_Mode": "no-cors"})[0] == 403


def test_a_forwarded_port_may_be_another(served):
    assert served.ask(Host="localhost:9000", Origin="http://localhost:9000")[0] == 200


@pytest.mark.skipif(not socket.has_ipv6 or not os.path.exists("/proc/net/if_inet6"), reason="no IPv6")
def test_both_families_are_served(served):
    assert served.ask(address="::1", Host=f"[::1]:{served.port}")[0] == 200


def test_only_loopback_is_listened_on(served):
    tables = {"/proc/net/tcp": "0100007F", "/proc/net/tcp6": "00000000000000000000000001000000"}
    seen = 0
    for table, loopback in tables.items():
        if not os.path.exists(table):
            continue
        for line in open(table).readlines()[1:]:
            address, port = line.split()[1].split(":")
            if int(port, 16) == served.port and line.split()[3] == "0A":
                assert address == loopback
                seen += 1
    assert seen > 0


def test_a_second_one_takes_the_next_port(served, profile):
    with viewer("--no-browser", profile) as second:
        assert second.port != served.port
        assert second.base != served.base
        assert second.ask()[0] == 200


def test_a_port_in_use_is_said_in_one_sentence(served, profile):
    result = scalene("view", "--no-browser", "--port", str(served.port), profile)
    assert result.returncode == 1
    assert f"port {served.port}" in result.stderr and "--port" in result.stderr
    assert len(result.stderr.splitlines()) == 1
    for word in ("0", "65536", "x"):
        assert scalene("view", "--port", word, profile).returncode == 2


def test_a_chosen_port_is_used(profile):
    port = free_port("127.0.0.1")
    with viewer("--no-browser", "--port", port, profile) as running:
        assert running.port == port


def test_it_lives_while_a_page_is_open_and_ends_after_the_last_unless_kept(profile):
    with viewer("--no-browser", "--linger", LINGER_S, profile) as running, \
            viewer("--no-browser", "--keep", "--linger", 0, profile) as kept:
        kept.open_stream().close()
        first, second = running.open_stream(), running.open_stream()
        first.close()
        time.sleep(BEAT_S + 1)
        assert running.process.poll() is None
        assert b":" in second.recv(4096)  # it has shown signs of life meanwhile
        second.close()
        assert running.process.wait(profiling.TIMEOUT_S) == 0
        assert kept.ask()[0] == 200


def test_a_signal_ends_it_cleanly_with_pages_open(profile):
    with viewer("--no-browser", profile) as running:
        streams = [running.open_stream() for _ in range(3)]
        running.process.send_signal(2)
        assert running.process.wait(profiling.TIMEOUT_S) == 0
        for stream in streams:
            stream.close()


def test_without_a_browser_it_says_what_to_do(profile, tmp_path):
    with viewer(profile, PATH=str(tmp_path)) as running:
        assert "No browser was found" in running.process.stdout.readline()


def test_over_ssh_it_tells_how_to_forward(profile):
    with viewer("--no-browser", profile, SSH_CONNECTION="10.0.0.1 1 10.0.0.2 22") as running:
        assert f"ssh -L {running.port}:localhost:{running.port} 10.0.0.2," in running.process.stdout.readline()
        assert "--standalone" in running.process.stdout.readline()


def test_a_browser_gets_the_address(profile, tmp_path):
    script, opened = tmp_path / "browser", tmp_path / "opened"
    script.write_text(f"#!/bin/sh\necho \"$1\" > {opened}\n")
    script.chmod(0o755)
    with viewer(profile, BROWSER=str(script)) as running:
        wait_until(lambda: opened.exists() and opened.read_text().endswith("\n"), "no browser was started")
        assert opened.read_text().strip() == f"http://localhost:{running.port}{running.base}"


def test_a_text_browser_is_none(profile, tmp_path):
    script = tmp_path / "lynx"
    script.write_text(f"#!/bin/sh\ntouch {tmp_path}/opened\n")
    script.chmod(0o755)
    with viewer(profile, BROWSER=str(script), PATH=str(tmp_path)) as running:
        assert "No browser was found" in running.process.stdout.readline()
    assert not (tmp_path / "opened").exists()


def test_what_cannot_be_shown_is_said_before_anything_is_served(tmp_path):
    broken = tmp_path / "broken.json"
    broken.write_text('{"files": {')
    result = subprocess.run([SCALENE, "view", "--no-browser", broken], capture_output=True, text=True, timeout=profiling.TIMEOUT_S)
    assert result.returncode == 1 and result.stdout == ""
    assert len(result.stderr.splitlines()) == 1
