# leak: KEPT 4 MB/s
# SPDX-License-Identifier: Apache-2.0
"""A server that answers requests, and keeps a session for each that nobody ever ends."""

from pace import KB, steps

sessions = {}


def parse(number):
    body = bytearray(150 * KB)
    return {"id": number, "fields": [bytes(body[i:i + KB]) for i in range(0, 40 * KB, KB)]}


def open_session(request):
    state = bytearray(80 * KB)  # KEPT
    sessions[request["id"]] = state  # HOLDS


for number in steps(51.2):
    request = parse(number)
    open_session(request)
    answer = b"".join(request["fields"])
