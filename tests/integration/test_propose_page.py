# SPDX-License-Identifier: Apache-2.0
"""What the server of `scalene view` answers to the page's questions about proposals."""

import json
import time

import pytest
from fake_provider import MODELS, PIECES, fake_provider
from profiling import TIMEOUT_S
from proposing import KEYS, PLANTED, PROVIDERS, write
from viewing import viewer

TYPED = "typed-key-0123456789abcdef"


@pytest.fixture(scope="module")
def provider():
    with fake_provider() as server:
        yield server


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    keys = {name: value for entry in KEYS.values() for name, value in entry.items()}
    with viewer("--no-browser", write(tmp_path_factory.mktemp("page")), **keys) as running:
        yield running


def post(served, path, question, **headers):
    body = question if isinstance(question, bytes) else json.dumps(question).encode()
    headers = {"Origin": "http://localhost:%d" % served.port, "Content_Type": "application/json", **headers}
    status, _, answer = served.ask(path, method="POST", body=body, **headers)
    return status, answer


def documents(answer):
    return [json.loads(line) for line in answer.decode().splitlines() if line]


def question(provider, name="ollama", model="good", **more):
    return {"provider": name, "model": model, "address": provider.address, "key": TYPED, "file": 0, "line": 9, **more}


def test_the_prompt_is_shown_with_its_destination(served, provider):
    before = len(provider.requests)
    status, answer = post(served, "prompt", question(provider, aim="memory", gpu=True, instructions="Be brief."))
    [shown] = documents(answer)
    assert status == 200 and shown["destination"] == provider.address + "/api/chat" and shown["is_local"]
    assert (shown["first"], shown["last"], shown["model"]) == (8, 9, "good")
    assert "need less memory" in shown["user"] and "Be brief." in shown["user"] and "code block" in shown["system"]
    assert len(provider.requests) == before and TYPED.encode() not in answer


@pytest.mark.parametrize("name", PROVIDERS)
def test_an_answer_streams_with_its_change(served, provider, name):
    status, answer = post(served, "proposal", question(provider, name))
    told = documents(answer)
    assert status == 200 and told[-1] == {"done": True}
    assert "".join(entry.get("text", "") for entry in told).startswith("```python\n# Proposed")
    [change] = [entry for entry in told if "rows" in entry]
    assert [row["kind"] for row in change["rows"]] == ["removed", "removed", "added", "added"]
    assert change["rows"][2] == {"kind": "added", "old": 0, "new": 8, "text": "    # Proposed optimization: one call"}
    assert change["patch"].startswith("--- a/prog.py\n")
    sent = " ".join(provider.requests[-1]["headers"].values())
    assert PLANTED not in sent and (TYPED in sent), "an address that was typed gets the key that was typed"


def test_an_address_of_the_page_never_gets_a_key_of_the_environment(served, provider):
    _, answer = post(served, "proposal", question(provider, "openai", key=""))
    assert documents(answer)[-1] == {"done": True}
    assert "Authorization" not in provider.requests[-1]["headers"]
    _, answer = post(served, "prompt", question(provider, "anthropic", key=""))
    assert "needs a key" in documents(answer)[0]["problem"]


def test_blank_lines_in_place_of_source_offer_nothing(provider, tmp_path):
    with viewer("--no-browser", write(tmp_path, source="\n" * 14)) as bare:
        assert json.loads(bare.ask("form.json")[2])["files"]["source_lines"] == [0]
        _, answer = post(bare, "prompt", question(provider))
        assert "no source text of this line" in documents(answer)[0]["problem"]


def test_models_are_listed(served, provider):
    _, answer = post(served, "models", question(provider))
    assert documents(answer) == [{"model": name} for name in MODELS] + [{"done": True}]


@pytest.mark.parametrize("model, words", [("limited", "asks to wait 17 s"), ("cut", "broke before"), ("huge", "more than"),
                                          ("refused", "answered 401"), ("final", "incomplete")])
def test_problems_are_part_of_the_stream(served, provider, model, words):
    status, answer = post(served, "proposal", question(provider, model=model))
    problems = [entry["problem"] for entry in documents(answer) if "problem" in entry]
    assert status == 200 and len(problems) == 1 and words in problems[0] and TYPED not in problems[0]


@pytest.mark.parametrize("change, words", [
    ({"file": 1}, "no such line"), ({"file": -1}, "no such line"), ({"line": 0}, "no such line"),
    ({"line": 10**9}, "no such line"), ({"line": 14}, "less than 1 %"), ({"provider": "none"}, "choose a provider"),
    ({"address": "file:///etc/passwd"}, "address is not one"), ({"model": "a\r\nb: c"}, "odd characters"),
    ({"key": "a\r\nHost: evil"}, "odd characters")])
def test_bad_questions_are_refused_in_a_sentence(served, provider, change, words):
    for path in ("prompt", "proposal"):
        _, answer = post(served, path, {**question(provider), **change})
        assert words in documents(answer)[0]["problem"]


def test_nonsense_and_too_much_are_refused(served):
    assert "no question" in documents(post(served, "prompt", b"[1]")[1])[0]["problem"]
    assert "no question" in documents(post(served, "proposal", b"\xff{")[1])[0]["problem"]
    assert post(served, "prompt", b" " * 70_000)[0] == 413


def test_questions_come_from_the_page_alone(served, provider):
    good = question(provider)
    assert post(served, "proposal", good, Origin="http://evil.example")[0] == 403
    assert post(served, "proposal", good, Content_Type="text/plain")[0] == 415
    assert post(served, "proposal", good, Sec_Fetch_Site="cross-site")[0] == 403
    assert served.ask("proposal")[0] == 405


def open_stream(served, slow):
    """A page's connection, on which an answer that takes long is asked for."""
    body = json.dumps(question(slow, model="slow")).encode()
    page = served.connect()
    page.sendall(b"POST %sproposal HTTP/1.1\r\nHost: localhost:%d\r\nOrigin: http://localhost:%d\r\n"
                 b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
                 % (served.base.encode(), served.port, served.port, len(body), body))
    return page


def read_until(page, words, answer=b""):
    while words not in answer:
        piece = page.recv(65536)
        assert piece, answer
        answer += piece
    return answer


def test_the_first_part_is_streamed_before_the_last_is_there(served):
    with fake_provider() as slow, open_stream(served, slow) as page:
        answer = read_until(page, json.dumps({"text": PIECES[0]}, separators=(",", ":")).encode())
        assert b'"rows"' not in answer and b'"done"' not in answer and not slow.may_go_on.is_set()
        slow.may_go_on.set()
        assert b'"rows"' in read_until(page, b'{"done":true}', answer)


def test_a_page_that_goes_away_ends_its_question(served):
    with fake_provider() as slow:
        page = open_stream(served, slow)
        assert slow.is_waiting.wait(TIMEOUT_S)
        page.close()
        assert slow.has_gone.wait(TIMEOUT_S)
    assert served.ask()[0] == 200


def test_four_are_enough_at_a_time(served):
    with fake_provider() as slow:
        pages = [open_stream(served, slow) for _ in range(4)]
        deadline = time.monotonic() + TIMEOUT_S
        while len(slow.requests) < 4 and time.monotonic() < deadline:
            time.sleep(0.02)
        _, answer = post(served, "proposal", question(slow))
        assert "Four questions" in documents(answer)[0]["problem"]
        for page in pages:
            page.close()
    deadline = time.monotonic() + TIMEOUT_S
    while "Four" in str(documents(post(served, "models", question(slow))[1])) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert time.monotonic() < deadline
