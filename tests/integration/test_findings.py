# SPDX-License-Identifier: Apache-2.0
"""What stands out in programs of which one knows it, and that it is told in the same words everywhere."""

import json

from cli_runner import run, scalene, write
from endings import SCHEMA

HOT = """
def cold(n):
    return sum(range(n))

def hot(n):
    total = 0
    for i in range(n):
        total += i * i % 7 + i * i % 11 + i * i % 13 + i * i % 17
    return total

for _ in range(40):
    cold(1000)
hot(4_000_000)
"""

CONTENDED = """
import threading

def count(n):
    while n > 0:
        n -= 1

threads = [threading.Thread(target=count, args=(6_000_000,)) for _ in range(3)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""

LOCKED = """
import threading
import time

lock = threading.Lock()

def work():
    for _ in range(10):
        with lock:
            time.sleep(0.02)

threads = [threading.Thread(target=work) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""

HELD_ELSEWHERE = """
import threading
import time

lock = threading.Lock()
is_held = threading.Event()

def slow():
    with lock:
        is_held.set()
        time.sleep(1)

def fast():
    is_held.wait()
    with lock:
        time.sleep(0.01)

threads = [threading.Thread(target=work) for work in (slow, fast)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""

# Two threads alone: among three the kernel may give the GIL to the same two for as long as it likes.
HOGGED = """
import threading

is_done = False

def hog():
    global is_done
    for _ in range(20):
        sum(range(4_000_000))
    is_done = True

def starve():
    while not is_done: pass

thread = threading.Thread(target=starve)
thread.start()
hog()
thread.join()
"""

WORKERS_ASLEEP = """
import threading
import time

def work():
    time.sleep(1)

threads = [threading.Thread(target=work) for _ in range(8)]
for thread in threads:
    thread.start()
time.sleep(1)
for thread in threads:
    thread.join()
"""

WAITING = """
import time
time.sleep(1)
"""

HOLDING = """
data = bytearray(80_000_000)
data[::4096] = bytes(len(data[::4096]))
"""


def findings_of(folder, text):
    write(folder, "prog.py", text)
    result = run("prog.py", cwd=folder)
    profile = json.loads((folder / "scalene-profile.json").read_text())
    SCHEMA.validate(profile)
    by_id = {}
    for finding in profile["findings"]:
        by_id.setdefault(finding["id"], finding)
    return profile["findings"], by_id, result


def test_the_hot_line_is_the_first_finding(tmp_path):
    findings, by_id, _ = findings_of(tmp_path, HOT)
    assert findings[0]["id"] == "hot-line"
    assert findings[0]["where"][0]["line"] in (7, 8)
    assert findings[0]["where"][0]["function"] == "hot"
    assert "prog.py:7-8" in by_id["interpreter-loop"]["sentence"]


def test_threads_that_wait_for_the_gil_are_told_with_the_holder(tmp_path):
    _, by_id, _ = findings_of(tmp_path, CONTENDED)
    assert by_id["gil-contention"]["where"][0]["line"] in (5, 6)
    assert "lock-wait" not in by_id  # joining is no contention


def test_a_contended_lock_is_told_with_what_holds_it(tmp_path):
    _, by_id, _ = findings_of(tmp_path, LOCKED)
    assert "prog.py:9, which is held longest by prog.py:10" in by_id["lock-wait"]["sentence"]


def test_a_lock_that_is_held_elsewhere_is_told_with_the_line_there(tmp_path):
    _, by_id, _ = findings_of(tmp_path, HELD_ELSEWHERE)
    assert "prog.py:15, which is held longest by prog.py:11" in by_id["lock-wait"]["sentence"]


def test_native_code_of_another_thread_holds_the_gil(tmp_path):
    _, by_id, _ = findings_of(tmp_path, HOGGED)
    where = by_id["gil-contention"]["where"]
    assert {place["function"] for place in where} == {"hog", "starve"}


def test_sleep_of_workers_is_not_the_main_threads(tmp_path):
    _, by_id, _ = findings_of(tmp_path, WORKERS_ASLEEP)
    assert "asleep, most of it at prog.py:11" in by_id["io-wait"]["sentence"]


def test_sleep_of_the_main_thread_is_told(tmp_path):
    _, by_id, _ = findings_of(tmp_path, WAITING)
    assert "asleep, most of it at prog.py:3" in by_id["io-wait"]["sentence"]
    assert "hot-line" not in by_id or by_id["hot-line"]["where"][0]["line"] != 3


def test_who_holds_the_peak_is_told(tmp_path):
    _, by_id, _ = findings_of(tmp_path, HOLDING)
    assert by_id["peak-holder"]["where"][0]["line"] == 2
    value = by_id["peak-holder"]["evidence"][0]
    assert abs(value["value"] - 80_000_000 / 2**20) <= 1 + value["error"]


def words_of(text):
    return " ".join(text.split())


def test_the_same_words_everywhere(tmp_path):
    findings, _, result = findings_of(tmp_path, HOT)
    terminal = words_of(scalene("view", "--cli", cwd=tmp_path).stdout)
    markdown = scalene("view", "--format", "md", cwd=tmp_path).stdout
    scalene("view", "--html", cwd=tmp_path)
    page = (tmp_path / "scalene-profile.html").read_text(encoding="utf-8")
    for finding in findings:
        assert finding["sentence"] in terminal
        assert finding["sentence"] in markdown.replace("\\", "")
        assert finding["sentence"] in page
    told = [line for line in result.stderr.splitlines() if line.startswith("Scalene: ")]
    first = [finding["sentence"] for finding in findings if finding["severity"] != "info"][:3]
    assert [f"Scalene: {sentence}" for sentence in first] == told[: len(first)]


def test_that_nothing_stands_out_is_said_in_the_same_words(tmp_path):
    findings_of(tmp_path, HOLDING)
    path = tmp_path / "scalene-profile.json"
    profile = json.loads(path.read_text())
    path.write_text(json.dumps(profile | {"findings": []}))
    scalene("view", "--html", cwd=tmp_path)
    page = (tmp_path / "scalene-profile.html").read_text(encoding="utf-8")
    nothing = "Nothing stands out: no line, wait or block of memory is large enough to be told from chance."
    assert nothing in words_of(scalene("view", "--cli", cwd=tmp_path).stdout)
    assert nothing in scalene("view", "--format", "md", cwd=tmp_path).stdout
    markup, script = page.split("<script", 1)
    assert nothing in markup and nothing in script
