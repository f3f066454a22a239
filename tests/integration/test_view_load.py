# SPDX-License-Identifier: Apache-2.0
"""The server under load and under fire: clean answers, clean refusals, memory that stays bounded."""

import concurrent.futures
import contextlib
import random
import socket

import pytest
from profiling import TIMEOUT_S
from viewing import document, line_record, viewer, write_profile

REQUESTS = 10_000
CLIENTS = 8
SLOW = 200
HANGING_S = 1  # a request without an end gets no answer: it is given up later, by time
GROWTH_MAX_KB = 24 * 1024  # 400 connections of 16 kB twice, and what the C library keeps


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    lines = [line_record(number, "work()", cpu_python_s=0.01) for number in range(1, 700)]
    path = write_profile(tmp_path_factory.mktemp("load"), document({"/x/prog.py": lines}))
    with viewer("--no-browser", "--keep", path) as running:
        yield running


def many_requests(served, count):
    """So many over one connection; returns the statuses that came."""
    statuses = set()
    paths = ["", "page.js", "form.json", "source/0", "nothing", "source/7"]
    requests = [f"GET {served.base}{path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode() for path in paths]
    with served.connect() as connection, connection.makefile("rb") as answers:
        for i in range(count):
            connection.sendall(requests[i % len(requests)])
            statuses.add(int(answers.readline().split()[1]))
            size = 0
            while (line := answers.readline()) != b"\r\n":
                if line.startswith(b"Content-Length:"):
                    size = int(line.split()[1])
            assert len(answers.read(size)) == size
    return statuses


def test_ten_thousand_requests(served):
    many_requests(served, 100)
    before_kb = served.resident_kb()
    with concurrent.futures.ThreadPoolExecutor(CLIENTS) as pool:
        done = list(pool.map(lambda _: many_requests(served, REQUESTS // CLIENTS), range(CLIENTS)))
    assert set().union(*done) == {200, 404}
    assert served.resident_kb() - before_kb < GROWTH_MAX_KB


def test_two_hundred_slow_connections_hold_up_nobody(served):
    before_kb = served.resident_kb()
    slow = [served.connect() for _ in range(SLOW)]
    for i, connection in enumerate(slow):
        connection.sendall(f"GET {served.base} HTTP/1.1\r\nHost: localhost\r\nX-{i}: ".encode())
    assert served.ask()[0] == 200
    for connection in slow:
        connection.sendall(b"x")
    assert served.ask("form.json")[0] == 200
    for connection in slow:
        connection.sendall(b"\r\n\r\n")
    answers = [connection.recv(64) for connection in slow]
    assert all(answer.startswith(b"HTTP/1.1 200") for answer in answers)
    for connection in slow:
        connection.close()
    assert served.resident_kb() - before_kb < GROWTH_MAX_KB


def answer_to(served, request, patience_s=HANGING_S):
    """All that comes back; nothing, where the server has hung up."""
    with served.connect() as connection:
        answer = b""
        with contextlib.suppress(ConnectionError, socket.timeout):
            connection.settimeout(patience_s)
            connection.sendall(request)
            with contextlib.suppress(OSError):  # the server may have hung up already; its answer is still there
                connection.shutdown(socket.SHUT_WR)
            while piece := connection.recv(65536):
                answer += piece
        return answer


def status_of(served, request):
    """The status of the answer, 0 where the server hangs up without one."""
    with served.connect() as connection, connection.makefile("rb") as answer:
        with contextlib.suppress(ConnectionError):  # it may answer, and hang up, before it has read all
            connection.sendall(request)
        try:
            return int((answer.readline().split() or [0, 0])[1])
        except ConnectionError:  # what was sent after the answer has thrown it away
            return 0


def test_malformed_and_huge_requests_are_refused(served):
    base = served.base.encode()
    host = b"\r\nHost: localhost\r\n"
    page = b"GET " + base + b" HTTP/1.1"
    requests = {  # by the statuses that may answer them; too long ones may be cut short
        "garbage": (b"\x00\xff\x16\x03\x01garbage\r\n\r\n", {400, 0}),
        "no version": (b"GET " + base + b"\r\n\r\n", {400}),
        "no host": (page + b"\r\n\r\n", {400, 403}),
        "old": (b"GET " + base + b" HTTP/0.9\r\n\r\n", {505}),
        "long path": (b"GET " + base + b"a" * 100_000 + b" HTTP/1.1" + host + b"\r\n", {414, 0}),
        "long header": (page + host + b"X: " + b"a" * 1_000_000 + b"\r\n\r\n", {431, 0}),
        "many headers": (page + host + b"X: y\r\n" * 20_000 + b"\r\n", {431, 0}),
        "two hosts": (page + host + b"Host: evil.example\r\n\r\n", {400}),
        "two of the same": (page + host + b"host: localhost\r\n\r\n", {400}),
        "absolute": (b"GET http://evil.example/ HTTP/1.1" + host + b"\r\n", {403}),
        "huge body": (b"POST " + base + b" HTTP/1.1" + host + b"Content-Length: 5000000\r\n\r\n" + b"x" * 5_000_000, {405}),
        "wrong length": (page + host + b"Content-Length: -1\r\n\r\n", {400}),
        "bad chunks": (b"POST " + base + b" HTTP/1.1" + host + b"Transfer-Encoding: chunked\r\n\r\nzzz\r\n", {400}),
    }
    before_kb = served.resident_kb()
    with concurrent.futures.ThreadPoolExecutor(len(requests)) as pool:
        statuses = pool.map(lambda case: status_of(served, case[0]), requests.values())
    for (name, (_, expected)), status in zip(requests.items(), statuses):
        assert status in expected, name
    assert served.ask()[0] == 200
    assert served.resident_kb() - before_kb < GROWTH_MAX_KB


def test_an_address_ends_at_its_first_nul(served):
    request = f"GET {served.base}source/0\0/etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
    answer = answer_to(served, request, patience_s=TIMEOUT_S)
    assert answer.startswith(b"HTTP/1.1 200") and b"work()" in answer and b"passwd" not in answer


def test_random_bytes_never_break_it(served):
    chance = random.Random(41)
    pattern = f"GET {served.base}source/0 HTTP/1.1\r\nHost: localhost\r\nOrigin: http://x\r\n\r\n".encode()
    with concurrent.futures.ThreadPoolExecutor(60) as pool:
        requests = []
        for _ in range(300):
            request = bytearray(pattern)
            for _ in range(chance.randrange(1, 12)):
                request[chance.randrange(len(request))] = chance.randrange(256)
            requests.append(bytes(request))
        for answer in pool.map(lambda request: answer_to(served, request), requests):
            assert answer == b"" or answer.startswith(b"HTTP/1.")
    assert served.ask()[0] == 200


def test_more_streams_than_there_is_room_for_are_refused(served):
    streams = [served.open_stream() for _ in range(64)]
    status, _, body = served.ask("alive")
    assert (status, body) == (503, b"Too many pages are open: close one of them.\n")
    assert served.ask()[0] == 200
    for stream in streams:
        stream.close()
