# SPDX-License-Identifier: Apache-2.0
"""The magics, in a real Jupyter kernel."""

import ast
import html.parser
import json
import os
import re
import subprocess

import profiling
import pytest

PACKAGES = ["ipykernel", "nbclient"]
# timed(n) -> the seconds that slow(n) took by the thread's own clock
SLOW = """def slow(n):
    x = 0
    for i in range(n):
        x += i * i
    time.sleep(0)
    return x
import time
def timed(n):
    begin = time.thread_time()
    slow(n)
    return time.thread_time() - begin"""
CELLS = [
    "%load_ext scalene",
    SLOW,
    "%%scalene -o cell.json\ny = timed(3_000_000)\nkeep = bytearray(50_000_000)\nlen(keep)",
    "y, len(keep)",
    "%scrun --cpu-only --outf line.json z = timed(3_000_000)",
    "z",
    "%%scalene run -o error.json\nq = slow(1_000_000)\n1 / 0",
    "q > 0",
    "import os\ndef open_files():\n    return len(os.listdir('/proc/self/fd'))\nbefore = open_files()",
    "%%scalene -oagain.json\nslow(300_000)",
    "open_files() - before",
    "%scrun --no-such-option slow(1)",
    "%%scalene\n1 +",
    "import asyncio\nqueue = asyncio.Queue()",
    "%%scalene -o await.json\nqueue.put_nowait(timed(3_000_000))\nheld = bytearray(50_000_000)\nw = await queue.get()\nw",
    "%%scalene -o failed.json\nawait asyncio.sleep(0)\nslow(1_000_000)\nawait asyncio.gather(1 / 0)",
    "open_files() - before",
]
SAMPLE_S = 0.01


@pytest.fixture(scope="module")
def notebook(key_python, tmp_path_factory):
    """What each cell showed, and the folder that the notebook ran in."""
    kernel = profiling.with_packages(key_python, *PACKAGES)
    if kernel is None:
        pytest.skip("no kernel can be had for %s" % key_python)
    folder = tmp_path_factory.mktemp("notebook")
    command = [kernel.path, profiling.TARGETS / "package" / "notebook.py"]
    environment = {**os.environ, "PYTHONPATH": str(profiling.ROOT / "python"), "PYTHONDONTWRITEBYTECODE": "1"}
    shown = subprocess.run(command, input=json.dumps(CELLS), stdout=subprocess.PIPE, text=True, cwd=folder,
                           env=environment, timeout=profiling.TIMEOUT_S, check=True).stdout
    return json.loads(shown), folder


def lines(folder, name):
    """Of each file of a profile, the lines that took time or memory."""
    document = json.loads((folder / name).read_text())
    return {path: {line["lineno"]: line for line in content["lines"]
                   if line["cpu_python_s"] + line["cpu_native_s"] > 0 or line["n_malloc_mb"] > 0}
            for path, content in document["files"].items()}


def assert_all_is_found(folder, name, spent_s):
    """Each 10 ms of a thread's CPU time have one point: of what one call took at most one is missing or too many at
    either end, as it ends with a wait, where points that come late are told. The last point of the run may stand for up to an
    interval that was not used, or be followed by up to two that have none: all lines share that."""
    found_s = sum(line["cpu_python_s"] + line["cpu_native_s"] + line["cpu_system_s"]
                  for line in lines(folder, name)["[2]"].values())
    assert spent_s - 3 * SAMPLE_S <= found_s <= spent_s + 4 * SAMPLE_S


def test_a_cell_runs_like_any_other_and_is_profiled_by_its_number(notebook):
    shown, folder = notebook
    spent_s, size = ast.literal_eval(shown[3]["result"])
    assert shown[2]["result"] == "50000000" and size == 50_000_000
    assert "x += i * i" in shown[2]["table"]
    found = lines(folder, "cell.json")
    assert_all_is_found(folder, "cell.json", spent_s)
    # Lines count from that of the magic.
    assert found["[3]"][3]["line"] == "keep = bytearray(50_000_000)\n"
    assert found["[3]"][3]["n_malloc_mb"] == pytest.approx(50e6 / 2**20, rel=0.01)


def frame_of(page):
    """Attributes of the only element that a cell shows."""
    found = []
    reader = html.parser.HTMLParser()
    reader.handle_starttag = lambda tag, attributes: found.append((tag, dict(attributes)))
    reader.feed(page)
    (tag, attributes), = found
    assert tag == "iframe"
    return attributes


def test_the_page_is_shown_in_a_frame_that_cannot_reach_the_notebook(notebook):
    shown, folder = notebook
    for number in (2, 4, 6, 9, 14, 15):
        frame = frame_of(shown[number]["page"])
        assert "allow-same-origin" not in frame["sandbox"].split()
        assert frame["srcdoc"].lower().startswith("<!doctype html>")
        assert shown[number]["table"]
    # The very page that `view` writes of the saved profile.
    profiling.call([profiling.SCALENE, "view", "--standalone", "-o", folder / "cell.html", folder / "cell.json"])
    assert frame_of(shown[2]["page"])["srcdoc"] == (folder / "cell.html").read_text()


def test_a_statement_is_profiled_on_the_line_of_its_cell(notebook):
    shown, folder = notebook
    assert not shown[4]["error"]
    assert_all_is_found(folder, "line.json", float(shown[5]["result"]))


def test_nothing_tells_of_the_files_that_the_kernel_has_for_its_cells(notebook):
    _, folder = notebook
    for name in ("cell.json", "line.json", "error.json", "await.json"):
        assert not re.search(r"/ipykernel_\d|<ipython-input|\d{5,}\.py", (folder / name).read_text())


def test_an_error_is_shown_as_any_other_and_the_profile_is_written(notebook):
    shown, folder = notebook
    assert shown[6]["error"] == ["ZeroDivisionError"]
    assert "_magics" not in shown[6]["trace"] and "1 / 0" in shown[6]["trace"]
    assert shown[7]["result"] == "True"
    assert "[2]" in lines(folder, "error.json")


def test_it_works_again_and_leaves_no_file_open(notebook):
    shown, folder = notebook
    assert not shown[9]["error"] and shown[10]["result"] == "0"
    assert (folder / "again.json").exists()


def test_what_is_wrong_is_said_and_nothing_runs(notebook):
    shown, _ = notebook
    assert shown[11]["error"] and "no-such-option" in shown[11]["trace"]
    assert shown[12]["error"] == ["SyntaxError"]


def test_a_cell_may_await_what_another_made(notebook):
    shown, folder = notebook
    assert not shown[14]["error"]
    assert "x += i * i" in shown[14]["table"]
    assert_all_is_found(folder, "await.json", float(shown[14]["result"]))
    assert lines(folder, "await.json")["[15]"][3]["n_malloc_mb"] == pytest.approx(50e6 / 2**20, rel=0.01)


def test_an_error_of_a_cell_that_awaits_is_shown_and_its_profile_written(notebook):
    shown, folder = notebook
    assert shown[15]["error"] == ["ZeroDivisionError"]
    assert "_awaiting" not in shown[15]["trace"] and "_magics" not in shown[15]["trace"]
    assert "[2]" in lines(folder, "failed.json")
    assert shown[16]["result"] == "0"


def test_the_magics_know_which_options_take_a_value():
    python = profiling.key_pythons()[-1]
    known = profiling.bare(python, "-c", "from scalene import _magics; print(*_magics.VALUE_OPTIONS)",
                           env={**os.environ, "PYTHONPATH": str(profiling.ROOT / "python")}).stdout.split()
    for page in ("--help", "--help-advanced"):
        for names in re.findall(r"^  ((?:-\w, )?--[\w-]+) [A-Z]+(?:  .*)?$",
                                profiling.call([profiling.SCALENE, "run", page]).stdout, re.MULTILINE):
            assert set(names.split(", ")) <= set(known)
