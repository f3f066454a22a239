# SPDX-License-Identifier: Apache-2.0
"""The patches of `scalene propose`: they apply to the files that were profiled."""

import subprocess

import pytest
from fake_provider import fake_provider
from proposing import SOURCE, loop, loops_program, propose, write, write_loops


@pytest.fixture(scope="module")
def provider():
    with fake_provider() as server:
        yield server


def ask(provider, profile, *words, **how):
    return propose("--provider", "ollama", "--address", provider.address, "--model", "good", *words, profile, **how)


PROPOSED = ["    # Proposed optimization: one call", "    total = sum(range(n))"]


@pytest.mark.parametrize("top, loops", [(3, (PROPOSED, PROPOSED, PROPOSED)), (2, (loop(3), PROPOSED, PROPOSED))])
def test_a_patch_of_several_regions_applies(provider, tmp_path, top, loops):
    result = ask(provider, write_loops(tmp_path), "--top", top, "--patch", tmp_path / "change.patch")
    assert result.returncode == 0, result.stderr
    subprocess.run(["git", "apply", "--check", "change.patch"], cwd=tmp_path, check=True)
    subprocess.run(["patch", "-p1", "-s", "-i", "change.patch"], cwd=tmp_path, check=True)
    assert (tmp_path / "prog.py").read_text() == loops_program(*loops)
    assert (tmp_path / "change.patch").read_text().count("+++ ") == 1


def test_a_patch_applies(provider, tmp_path):
    for name, text in {"unix": SOURCE, "dos": SOURCE.replace("\n", "\r\n"), "open": SOURCE.rstrip("\n")}.items():
        folder = tmp_path / name
        folder.mkdir()
        program = folder / "prog.py"
        program.write_bytes(text.encode())
        profile = write(folder, path=str(program))
        result = ask(provider, profile, "--patch", folder / "change.patch", cwd=folder)
        assert result.returncode == 0 and "apply it with patch -p1" in result.stderr
        subprocess.run(["git", "apply", "--check", "change.patch"], cwd=folder, check=True)
        subprocess.run(["patch", "-p1", "--binary", "-s", "-i", "change.patch"], cwd=folder, check=True)
        end = "\r\n" if name == "dos" else "\n"
        assert program.read_bytes().decode() == text.replace(
            end.join(["    for i in range(n):", "        total += i"]),
            end.join(["    # Proposed optimization: one call", "    total = sum(range(n))"]))


def test_a_patch_alone_can_be_the_output(provider, tmp_path):
    result = ask(provider, write(tmp_path), "--patch", "-")
    assert result.stdout.startswith("--- a/prog.py\n+++ b/prog.py\n@@ -5,8 +5,8 @@\n")
