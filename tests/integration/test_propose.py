# SPDX-License-Identifier: Apache-2.0
"""`scalene propose` against a server that speaks every provider's protocol."""

import contextlib
import json
import os
import pty
import subprocess
import threading

import profiling
import pytest
from cli_runner import SCALENE
from fake_provider import CODE, MODELS, fake_provider
from proposing import ASKED_ONCE, ID, KEYS, PATH, PLANTED, PROVIDERS, clean_environment, propose, write


@pytest.fixture(scope="module")
def provider():
    with fake_provider() as server:
        yield server


@pytest.fixture(scope="module")
def profile(tmp_path_factory):
    return write(tmp_path_factory.mktemp("propose"))


def ask(provider, name, profile, *words, model="good", **how):
    return propose("--provider", name, "--address", provider.address, "--model", model, *words, profile,
                   environment=KEYS[name], **how)


@pytest.mark.parametrize("name", PROVIDERS)
def test_an_answer_streams_in_and_becomes_a_patch(provider, profile, name):
    result = ask(provider, name, profile)
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith(CODE)
    assert "-    for i in range(n):\n-        total += i\n" in result.stdout
    assert "+    # Proposed optimization: one call\n+    total = sum(range(n))\n" in result.stdout
    assert "not verified" in result.stderr
    request = provider.requests[-1]
    text = json.dumps(request["document"])
    assert "58%" in text and "total += i" in text and "hm" not in result.stdout
    assert PLANTED not in request["path"] and PLANTED not in text


@pytest.mark.parametrize("name", PROVIDERS)
def test_models_are_listed(provider, name):
    result = propose("--provider", name, "--address", provider.address, "--models", environment=KEYS[name])
    assert result.returncode == 0, result.stderr
    assert result.stdout.split() == MODELS


@pytest.mark.parametrize("name", PROVIDERS)
def test_who_cannot_stream_is_understood(provider, profile, name):
    result = ask(provider, name, profile, model="whole")
    assert result.returncode == 0 and result.stdout.startswith(CODE) and "hm" not in result.stdout, result.stderr


@pytest.mark.parametrize("name", ["openai", "azure"])
def test_a_model_that_gives_no_reason_goes_on(provider, profile, name):
    result = ask(provider, name, profile, model="unset")
    assert result.returncode == 0 and result.stdout.startswith(CODE), result.stderr


FAULTS = {
    "sorry": "no room for the model",
    "page": "not its protocol",
    "broken": "not its protocol",
    "cut": "broke before the answer was complete",
    "early": "before the answer was complete",
    "huge": "more than 256 kB",
    "refused-401": "answered 401",
    "limited": "slow down; it asks to wait",
    "fault-500": "answered 500; the fault is there",
    "moved": "answered 307",
    "missing": "answered 404",
    "final": "the change is incomplete",
}


@pytest.mark.parametrize("name", PROVIDERS)
def test_what_goes_wrong_is_one_sentence(provider, profile, name):
    for model, words in FAULTS.items():
        result = ask(provider, name, profile, model=model)
        lines = [line for line in result.stderr.splitlines() if line.startswith("scalene: ")]
        if model == "early" and name == "bedrock":
            words = "stopped before"
        assert result.returncode == 1 and len(lines) == 1 and words in lines[0], (model, result.stderr)
        assert PLANTED not in result.stderr + result.stdout and ID not in result.stderr, model
        if model == "limited":
            assert ("34 s" if name == "gemini" else "17 s") in lines[0]
        assert len(result.stdout) < 300_000


@pytest.mark.parametrize("name, model, words", [
    ("openai", "precise", "slow down; it asks to wait 3 s"),
    ("openai", "spent", "answered 429: nothing left; waiting does not help"),
    ("anthropic", "spent", "answered 429: nothing left; waiting does not help"),
    ("openai", "invalid", "answered 422: model: Field required"),
    ("anthropic", "overloaded", "answered 529: Overloaded; it has too much to do, so try again later"),
])
def test_a_refusal_says_what_helps(provider, profile, name, model, words):
    result = ask(provider, name, profile, model=model)
    assert result.returncode == 1 and words in result.stderr, result.stderr
    assert model != "spent" or "asks to wait" not in result.stderr


def test_a_limit_is_told_and_nothing_is_sent_again(provider, profile):
    before = len(provider.requests)
    ask(provider, "openai", profile, model="limited")
    assert len(provider.requests) == before + 1


def test_the_prompt_has_the_measurements_and_nothing_else(profile):
    result = propose("--print-prompt", "--gpu", "--instructions", "Keep the names.", profile)
    assert result.returncode == 0
    for part in ("Rewrite lines 8 to 9", "Python 3.12.1", "8 usable cores", "75.0% +/-", "70% Python", "0.25s for the GIL",
                 "80.0 MB +/-", "120.0 MB +/- 4.0", "copied: 30.0 MB", "50% of 8", "line 9: 55.0% +/- 2.5",
                 "prog.py:9 took 58% of the CPU time. Hand it to one native call.", "import math as m, numpy",
                 "def work(n):", "        total += i\n# <<<", "Keep the names.", "GPU are allowed"):
        assert part in result.stdout, part
    for part in ("/x/", "hunter2", "--password", "/nowhere", os.path.expanduser("~"), "def other"):
        assert part not in result.stdout, part


def test_the_aim_can_be_memory_and_one_statement(profile):
    result = propose("--print-prompt", "--memory", "--only-line", "--line", "prog.py:9", profile)
    assert "Rewrite line 9 of the code below so that it needs less memory" in result.stdout
    assert "# >>> the lines to rewrite begin here, with line 9\n        total += i\n# <<<" in result.stdout


@pytest.mark.parametrize("words, said", [
    (["--line", "prog.py:14"], "less than 1 %"),
    (["--line", "prog.py:99"], "no source text"),
    (["--line", "else.py:1"], "no file 'else.py'"),
    (["--line", "prog.py"], "write it as train.py:88"),
    (["--provider", "skynet"], "'skynet' is none"),
    (["--address", "ftp://x"], "address is not one"),
    (["--address", "https://user:pw@x"], "user name or a key"),
    (["--provider", "anthropic"], "set ANTHROPIC_API_KEY"),
    (["--provider", "azure"], "set AZURE_OPENAI_ENDPOINT"),
    (["--provider", "openai"], "set OPENAI_API_KEY"),
    ([], "there is nobody to ask"),
])
def test_misuse_gets_advice(profile, words, said):
    words = words if not words or words[0] != "--line" else [*words, "--print-prompt"]
    result = propose(*words, profile)
    assert result.returncode == 1 and said in result.stderr and result.stderr.count("\n") == 1


def test_what_is_wrong_with_the_place_is_said_before_who_is_asked(profile):
    result = propose("--line", "nope", profile)
    assert result.returncode == 1 and "'nope' is no place" in result.stderr and result.stderr.count("\n") == 1


def test_the_gpu_is_among_the_facts():
    result = propose("--print-prompt", profiling.ROOT / "tests" / "golden" / "gpu.json")
    assert "GPU busy while a thread was here: 22%, of all processes of the machine" in result.stdout
    assert "GPU memory in use meanwhile: 801.5 MB, at most 1538.0 MB" in result.stdout
    assert "1.25s for the GPU" in result.stdout and "2 usable cores, A GPU" in result.stdout


def test_without_source_nothing_is_offered(tmp_path):
    bare = write(tmp_path, source="\n" * 14, path="/x/none.py")
    result = propose("--print-prompt", "--line", "none.py:9", bare)
    assert result.returncode == 1 and "no source text of this line" in result.stderr and result.stdout == ""
    result = propose("--print-prompt", bare)
    assert result.returncode == 1 and "nothing to propose for" in result.stderr and result.stdout == ""
    document = json.loads(bare.read_text())
    bare.write_text(json.dumps({**document, "files": {"/x/none.py": {"lines": []}}}))
    result = propose("--print-prompt", bare)
    assert result.returncode == 1 and "nothing to propose for" in result.stderr


def test_nothing_leaves_without_consent(profile):
    result = propose("--provider", "openai", "--address", "https://192.0.2.1/v1", profile,
                     environment=KEYS["openai"])
    assert result.returncode == 1 and "agree with --yes" in result.stderr


def test_a_key_is_never_sent_unencrypted_to_another_computer(profile):
    result = propose("--yes", "--provider", "openai", "--address", "http://192.0.2.1/v1", profile,
                     environment=KEYS["openai"])
    assert result.returncode == 1 and "without encryption" in result.stderr


def test_without_network_there_is_one_sentence(profile):
    result = propose("--yes", "--provider", "ollama", "--address", "http://127.0.0.1:1", profile)
    assert result.returncode == 1 and "cannot reach 127.0.0.1:1" in result.stderr
    result = propose("--yes", "--provider", "ollama", "--address", "http://no-such-host.invalid", profile,
                     environment=ASKED_ONCE)
    assert result.returncode == 1 and "cannot reach no-such-host.invalid" in result.stderr


def test_several_regions_are_asked_for_in_order(provider, profile):
    before = len(provider.requests)
    result = ask(provider, "ollama", profile, "--top", "5")
    assert result.returncode == 0 and len(provider.requests) == before + 1, result.stderr


def test_text_of_a_model_cannot_steer_the_terminal(profile):
    with fake_provider() as hostile:
        hostile.pieces = ["```python\n\x1b]0;x\x07pass \x1b[31m\u202e\n", "```\n"]
        result = ask(hostile, "ollama", profile)
        assert "\x1b" not in result.stdout and "\u202e" not in result.stdout and result.returncode == 0


def test_answers_without_code_are_shown_and_said(profile):
    with fake_provider() as chatty:
        chatty.pieces = ["I would not ", "change that."]
        result = ask(chatty, "openai", profile)
        assert "I would not change that." in result.stdout
        assert result.returncode == 1 and "no block of code" in result.stderr


@pytest.mark.parametrize("keys, host", [
    ({**KEYS["openai"], **KEYS["gemini"]}, "generativelanguage.googleapis.com/v1beta/models/gemini"),
    ({**KEYS["openai"], **KEYS["anthropic"]}, "api.anthropic.com/v1/messages"),
    ({**KEYS["openai"], **KEYS["bedrock"], "AWS_REGION": "eu-north-1"}, "bedrock-runtime.eu-north-1.amazonaws.com/model/us.a"),
    ({**KEYS["openai"]}, "api.openai.com/v1/chat/completions"),
    ({**KEYS["openai"], "OPENAI_BASE_URL": "http://localhost:1234/v1"}, "localhost:1234/v1/chat"),
    ({"AZURE_OPENAI_API_KEY": PLANTED, "AZURE_OPENAI_ENDPOINT": "https://x.azure.com/"}, "x.azure.com/openai/v1/chat"),
])
def test_the_environment_chooses_the_provider(profile, keys, host):
    result = propose("--print-prompt", profile, environment=keys)
    assert "To: http" in result.stdout and host in result.stdout and PLANTED not in result.stdout


@pytest.mark.parametrize("given, place, is_local", [
    ("0.0.0.0", "http://127.0.0.1:11434", True), ("0.0.0.0:8000", "http://127.0.0.1:8000", True),
    (":8000", "http://127.0.0.1:8000", True), ("http://0.0.0.0:8000/", "http://127.0.0.1:8000", True),
    ("[::]", "http://[::1]:11434", True), ("[::1]:8000", "http://[::1]:8000", True), ("localhost", "http://localhost:11434", True),
    ("box", "http://box:11434", False), ("box:8000", "http://box:8000", False), ("https://box/path", "https://box/path", False)])
def test_the_server_of_ollama_is_found_as_its_own_client_finds_it(profile, given, place, is_local):
    shown = propose("--print-prompt", "--provider", "ollama", profile, environment={"OLLAMA_HOST": given}).stdout
    assert shown.startswith("To: %s/api/chat\n" % place) and ("Nothing leaves this computer" in shown) == is_local


def test_several_at_once_do_not_disturb_each_other(provider, profile):
    results = []
    threads = [threading.Thread(target=lambda: results.append(ask(provider, "ollama", profile))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(result.returncode == 0 and result.stdout.startswith(CODE) for result in results)


def test_the_path_names_the_file(tmp_path):
    both = write(tmp_path)
    contents = json.loads(both.read_text())
    contents["files"]["/y/prog.py"] = contents["files"][PATH]
    both.write_text(json.dumps(contents))
    assert "could be" in propose("--print-prompt", "--line", "prog.py:9", both).stderr
    assert propose("--print-prompt", "--line", "y/prog.py:9", both).returncode == 0


def answer_in_a_terminal(provider, profile, word):
    """Status and what the terminal showed; the destination is another computer, reached through a proxy."""
    main, side = pty.openpty()
    process = subprocess.Popen(
        [SCALENE, "propose", "--provider", "ollama", "--address", "http://model.example:8000", "--model", "good", profile],
        stdin=side, stdout=subprocess.PIPE, stderr=side, env=clean_environment(http_proxy=provider.address))
    os.close(side)
    shown = b""
    while b"[y/N] " not in shown:
        shown += os.read(main, 65536)
    os.write(main, word + b"\n")
    output, _ = process.communicate(timeout=profiling.TIMEOUT_S)
    with contextlib.suppress(OSError):
        while True:
            shown += os.read(main, 65536)
    os.close(main)
    return process.returncode, output.decode(), shown.decode()


def test_a_terminal_shows_and_asks_first(provider, profile):
    before = len(provider.requests)
    status, output, shown = answer_in_a_terminal(provider, profile, b"n")
    assert status == 1 and output == "" and "nothing was sent" in shown and len(provider.requests) == before
    assert "To: http://model.example:8000/api/chat" in shown and "total += i" in shown
    status, output, _ = answer_in_a_terminal(provider, profile, b"y")
    assert status == 0 and output.startswith(CODE) and len(provider.requests) == before + 1
