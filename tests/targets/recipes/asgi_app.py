# SPDX-License-Identifier: Apache-2.0
"""For uvicorn."""

import marked


async def app(scope, receive, send):
    assert scope["type"] == "http"
    body = marked.marked().encode()
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": body})
