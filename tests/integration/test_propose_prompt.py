# SPDX-License-Identifier: Apache-2.0
"""What `scalene propose` sends: the same that it shows, and what belongs into it."""

import pytest
from fake_provider import fake_provider
from proposing import KEYS, PROVIDERS, SOURCE, propose, write


@pytest.fixture(scope="module")
def provider():
    with fake_provider() as server:
        yield server


def texts(value):
    """All texts in a JSON document."""
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    return [value] if isinstance(value, str) else [text for entry in inside for text in texts(entry)]


@pytest.mark.parametrize("name", PROVIDERS)
def test_what_is_shown_is_what_is_sent(provider, tmp_path, name):
    """Also where bytes are cut, which two bytes a character put into the middle of one."""
    long = SOURCE.replace("total = 0", "total = 0  # " + "\u00e9" * 1000)
    words = ["--provider", name, "--address", provider.address, "--model", "good", "--instructions",
             "x" + "\u00e9" * 1500, write(tmp_path, source=long)]
    before = len(provider.requests)
    shown = propose("--print-prompt", *words, environment=KEYS[name]).stdout
    assert len(provider.requests) == before and "To: " + provider.address in shown
    result = propose(*words, environment=KEYS[name])
    assert result.returncode == 0 and len(provider.requests) == before + 1, result.stderr
    system, user = shown.split("System:\n")[1].split("\n\nUser:\n")
    sent = texts(provider.requests[-1]["document"])
    assert system in sent and user in sent and "\u00e9 ...\n" in user and "\ufffd" not in user


def write_python(folder, *distributions):
    """An environment with an interpreter that nobody runs, and what pip would have left in it."""
    for name in distributions:
        (folder / "lib/python3.12/site-packages" / name).mkdir(parents=True)
    (folder / "bin").mkdir()
    (folder / "bin/python3").touch()
    return str(folder / "bin/python3")


def test_the_versions_of_what_is_imported_are_told(tmp_path):
    python = write_python(tmp_path / "env", "numpy-1.26.4.dist-info", "numpy_financial-2.0.dist-info", "PyYAML-6.0.1.dist-info",
                          "lonely-9.9.dist-info", "other_project-3.0.dist-info",
                          "scipy-1.13.0.egg-info")
    source = SOURCE.replace("import json", "import yaml.nodes, scipy").replace("total = 0", "import other_project.x")
    profile = write(tmp_path, source=source, python_executable=python)
    shown = propose("--print-prompt", profile).stdout
    assert "\nIt ran with: Python 3.12.1, 8 usable cores\nInstalled there now: yaml 6.0.1, numpy 1.26.4, other_project 3.0\n" in shown
    profile = write(tmp_path, source=source, python_executable=python, python_version="3.11.1")
    assert "Installed there now" not in propose("--print-prompt", profile).stdout  # another Python than the one that ran
