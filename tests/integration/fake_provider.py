# SPDX-License-Identifier: Apache-2.0
"""A server on loopback that speaks the protocols of all providers, such that their own clients understand it
(openai, anthropic, google-genai, ollama, boto3: tried with each). The name of the model that is asked for says
how it behaves: what follows be_ in the methods below."""

import contextlib
import http.server
import json
import select
import socket
import ssl
import struct
import threading
import urllib.parse

SLOW_S = 120  # what is held back is held that long at most, so that a test that fails ends

CODE = "```python\n# Proposed optimization: one call\ntotal = sum(range(n))\n```\n"
PIECES = ["```python\n# Proposed", " optimization: one call\n", "total = sum(range(n))\n", "```\n"]
MODELS = ["good", "other-model"]
PLACES = {"/v1/chat/completions": "openai", "/openai/v1/chat/completions": "azure", "/v1/messages": "anthropic",
          "/api/chat": "ollama"}
LISTS = {"/v1/models": {"object": "list", "data": [{"id": name} for name in MODELS]},
         "/openai/v1/models": {"data": [{"id": name} for name in MODELS]},
         "/v1beta/models": {"models": [{"name": "models/embedding", "supportedGenerationMethods": ["embedContent"]}] +
                            [{"name": "models/" + name, "supportedGenerationMethods": ["countTokens", "generateContent"]}
                             for name in MODELS]},
         "/api/tags": {"models": [{"name": name} for name in MODELS]},
         "/foundation-models": {"modelSummaries": [{"modelId": "painter", "outputModalities": ["IMAGE"]}] +
                                [{"modelId": name, "outputModalities": ["TEXT"]} for name in MODELS]}}
PAGE = 20  # models that Anthropic lists unless it is asked for more


def sse(document, event=None):
    return ("event: %s\n" % event if event else "") + "data: %s\n\n" % json.dumps(document)


def chat_events(pieces, reason="stop", going_on=None):
    for piece in pieces:
        yield sse({"choices": [{"index": 0, "delta": {"content": piece}, "finish_reason": going_on}]})
    yield sse({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})
    yield "data: [DONE]\n\n"


def anthropic_events(pieces, reason="end_turn"):
    """A block of thinking, which is not shown, and one of text."""
    def event(kind, **more):
        return sse({"type": kind, **more}, kind)

    usage = {"input_tokens": 1, "output_tokens": 1}
    yield event("message_start", message={"id": "m", "type": "message", "role": "assistant", "model": "good",
                                          "content": [], "stop_reason": None, "stop_sequence": None, "usage": usage})
    yield event("content_block_start", index=0, content_block={"type": "thinking", "thinking": "", "signature": ""})
    yield event("content_block_delta", index=0, delta={"type": "thinking_delta", "thinking": "hm"})
    yield event("content_block_stop", index=0)
    yield event("ping")
    yield event("content_block_start", index=1, content_block={"type": "text", "text": ""})
    for piece in pieces:
        yield event("content_block_delta", index=1, delta={"type": "text_delta", "text": piece})
    yield event("content_block_stop", index=1)
    yield event("message_delta", delta={"stop_reason": reason, "stop_sequence": None}, usage=usage)
    yield event("message_stop")


def gemini_events(pieces, reason="STOP"):
    yield sse({"candidates": [{"content": {"parts": [{"text": "hm", "thought": True}]}}]})
    for number, piece in enumerate(pieces):
        last = {"finishReason": reason} if number == len(pieces) - 1 else {}
        yield sse({"candidates": [{"content": {"parts": [{"text": piece}]}, **last}]})


def ollama_events(pieces, reason="stop"):
    for piece in pieces:
        yield json.dumps({"message": {"role": "assistant", "content": piece}, "done": False}) + "\n"
    yield json.dumps({"message": {"role": "assistant", "content": ""}, "done": True, "done_reason": reason}) + "\n"


def bedrock_events(pieces, reason="end_turn"):
    content = [{"reasoningContent": {"reasoningText": {"text": "hm"}}}, {"text": "".join(pieces)}]
    yield json.dumps({"output": {"message": {"role": "assistant", "content": content}}, "stopReason": reason,
                      "usage": {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2}, "metrics": {"latencyMs": 1}})


def whole_answer(protocol, text):
    """What a server sends that cannot stream."""
    if protocol == "anthropic":
        content = [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": text}]
        return {"type": "message", "role": "assistant", "content": content, "stop_reason": "end_turn"}
    if protocol == "gemini":
        return {"candidates": [{"content": {"parts": [{"text": text}]}, "finishReason": "STOP"}]}
    if protocol == "ollama":
        return {"message": {"role": "assistant", "content": text}, "done": True, "done_reason": "stop"}
    if protocol == "bedrock":
        return json.loads("".join(bedrock_events([text])))
    return {"choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}]}


EVENTS = {"openai": chat_events, "azure": chat_events, "anthropic": anthropic_events, "gemini": gemini_events,
          "ollama": ollama_events, "bedrock": bedrock_events}
CUT_REASONS = {"openai": "length", "azure": "length", "anthropic": "max_tokens", "gemini": "MAX_TOKENS",
               "ollama": "length", "bedrock": "max_tokens"}


def error_of(protocol, status, words):
    if protocol == "anthropic":
        return {"type": "error", "error": {"type": "some_error", "message": words}, "request_id": "r"}
    if protocol == "gemini":
        details = [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34s"}] if status == 429 else []
        return {"error": {"code": status, "message": words, "status": "SOME", "details": details}}
    if protocol == "bedrock":
        return {"message": words}
    if protocol == "ollama":
        return {"error": words}
    return {"error": {"message": words, "type": "some", "param": None, "code": "some"}}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def find(self):
        """The protocol and the model that are asked for."""
        path = urllib.parse.urlsplit(self.path).path
        if path.startswith("/model/") and path.endswith("/converse"):
            return "bedrock", urllib.parse.unquote(path[len("/model/"):-len("/converse")])
        if path.startswith("/v1beta/models/") and path.endswith(":streamGenerateContent"):
            return "gemini", urllib.parse.unquote(path[len("/v1beta/models/"):].split(":")[0])
        return PLACES.get(path), self.document.get("model", "")

    def do_GET(self):
        place = urllib.parse.urlsplit(self.path)
        self.keep({})
        if place.path == "/v1/models" and "anthropic-version" in self.headers:
            limit = int(urllib.parse.parse_qs(place.query).get("limit", [PAGE])[0])
            names = [name for name in MODELS for _ in range(PAGE)]
            return self.reply(200, {"data": [{"id": name} for name in names[:limit]], "has_more": limit < len(names)})
        return self.reply(200 if place.path in LISTS else 404, LISTS.get(place.path, {"error": {"message": "nothing here"}}))

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.document = json.loads(body)
        self.keep(self.document, body)
        protocol, model = self.find()
        if protocol is None:
            return self.reply(404, {"detail": "no such place"})
        behave = getattr(self, "be_" + model.split("-")[0].split(":")[0], None)
        return behave(protocol, model) if behave else self.reply(404, error_of(protocol, 404, "no model " + model))

    def keep(self, document, body=b""):
        self.server.requests.append({"path": self.path, "headers": dict(self.headers.items()), "body": body,
                                     "document": document, "method": self.command})

    def reply(self, status, document, **headers):
        text = document if isinstance(document, bytes) else json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(text)

    def begin(self, protocol):
        self.send_response(200)
        self.send_header("Content-Type", {"ollama": "application/x-ndjson", "bedrock": "application/json"}.get(
            protocol, "text/event-stream"))
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()

    def chunk(self, text):
        data = text.encode()
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()

    def stream(self, protocol, pieces=PIECES, **more):
        self.begin(protocol)
        for event in EVENTS[protocol](pieces, **more):
            middle = len(event) // 2  # pieces end anywhere
            self.chunk(event[:middle])
            self.chunk(event[middle:])
        self.wfile.write(b"0\r\n\r\n")

    def be_good(self, protocol, _):
        self.stream(protocol, self.server.pieces)

    def be_slow(self, protocol, _):
        """Says the first piece and holds the rest back until it may go on, or the other side is gone. A whole is held back."""
        self.begin(protocol)
        events = list(EVENTS[protocol](PIECES))
        said = 1 + next(at for at, event in enumerate(events) if json.dumps(PIECES[0])[1:-1] in event)
        said = said if protocol != "bedrock" else 0
        for event in events[:said]:
            self.chunk(event)
        self.server.is_waiting.set()
        if self.hold():
            for event in events[said:]:
                self.chunk(event)
            self.wfile.write(b"0\r\n\r\n")
        else:
            self.close_connection = True

    def hold(self):
        """Whether it may go on."""
        for _ in range(SLOW_S * 50):
            if self.server.may_go_on.wait(0.02):
                return True
            if select.select([self.connection], [], [], 0)[0]:
                self.server.has_gone.set()
                return False
        return False

    def be_tired(self, protocol, _):
        """Answers once; each further question has to wait."""
        if len(self.server.requests) == 1:
            self.be_good(protocol, _)
        else:
            self.be_slow(protocol, _)

    def be_broken(self, protocol, _):
        self.begin(protocol)
        self.chunk("data: {\"choices\": [}\n\n" if protocol in ("openai", "azure", "anthropic", "gemini") else "<html>\n")
        self.wfile.write(b"0\r\n\r\n")

    def be_cut(self, protocol, _):
        """The connection breaks in the middle of a piece, hard."""
        self.begin(protocol)
        self.chunk(list(EVENTS[protocol](PIECES))[0][:40])
        self.wfile.write(b"ffff\r\ndata")
        self.wfile.flush()
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close_connection = True

    def be_early(self, protocol, _):
        """Ends well formed, before the model said that it is done."""
        self.begin(protocol)
        for event in list(EVENTS[protocol](PIECES))[:2] if protocol != "bedrock" else ["{}"]:
            self.chunk(event)
        self.wfile.write(b"0\r\n\r\n")

    def be_huge(self, protocol, _):
        with contextlib.suppress(OSError):
            self.stream(protocol, ["x" * 100_000] * 100)

    def be_final(self, protocol, _):
        self.stream(protocol, reason=CUT_REASONS[protocol])

    def be_refused(self, protocol, _):
        sent = " ".join(self.headers.values())
        self.reply(401, error_of(protocol, 401, "wrong key, you sent: " + sent))

    def be_limited(self, protocol, _):
        headers = {} if protocol == "gemini" else {"retry_after": "17"}
        self.reply(429, error_of(protocol, 429, "slow down"), **headers)

    def be_precise(self, protocol, _):
        self.reply(429, error_of(protocol, 429, "slow down"), retry_after="1", Retry_After_Ms="2500")

    def be_spent(self, protocol, _):
        """The two ways in which a limit is said that no waiting lifts."""
        document = error_of(protocol, 400, "nothing left")
        document["error"].update({"type": "rate_limit_error", "details": {"error_code": "enforced_spend_limit_reached"}}
                                 if protocol == "anthropic" else {"code": "insufficient_quota"})
        self.reply(429, document, retry_after="17")

    def be_invalid(self, protocol, _):
        """As servers made with FastAPI say it."""
        self.reply(422, {"detail": [{"loc": ["body", "model"], "msg": "model: Field required", "type": "missing"}]})

    def be_overloaded(self, protocol, _):
        self.reply(529, error_of(protocol, 529, "Overloaded"))

    def be_fault(self, protocol, _):
        self.reply(500, b"<html>Internal Server Error</html>")

    def be_whole(self, protocol, _):
        self.reply(200, whole_answer(protocol, "".join(self.server.pieces)))

    def be_unset(self, protocol, _):
        """Some say with an empty reason that the model goes on."""
        self.stream(protocol, self.server.pieces, going_on="")

    def be_sorry(self, protocol, _):
        """A refusal that calls itself an answer."""
        self.reply(200, error_of(protocol, 400, "no room for the model"))

    def be_page(self, protocol, _):
        self.reply(200, b"<!DOCTYPE html>\n<html><title>Sign in</title></html>")

    def be_moved(self, protocol, _):
        self.reply(307, b"", Location="http://127.0.0.1:1/steal")


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        pass


@contextlib.contextmanager
def fake_provider(certificate=None):
    """Has .address, .requests and .pieces; with a certificate (a file with its key) it speaks TLS. One that is slow sets
    .is_waiting, goes on after .may_go_on, and sets .has_gone if the other side closes while it holds back."""
    server = Server(("127.0.0.1", 0), Handler)
    server.requests, server.pieces = [], PIECES
    server.is_waiting, server.may_go_on, server.has_gone = threading.Event(), threading.Event(), threading.Event()
    if certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    server.address = "%s://localhost:%d" % ("https" if certificate else "http", server.server_port)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
