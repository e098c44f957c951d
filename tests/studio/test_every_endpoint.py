"""What holds for every endpoint there is, those that are to come included."""

import asyncio
import json

import pytest
from serving import TOKEN

from pulps.studio.limits import Limits
from pulps.studio.server import make_app

BODY = {"type": "http.request", "body": b'{"rows": [', "more_body": True}
WITHOUT_TOKEN = {"/health", "/ready", "/v1/health"}


PAGES = [("GET", path) for path in ("/", "/docs", "/openapi.json")]


def of_app(app):
    """Method and path of every endpoint, with something for each parameter."""
    told = app.app.openapi()["paths"]
    return [(way.upper(), path.format(key="x")) for path, ways in told.items() for way in ways]


APP = make_app(token=TOKEN, limits=Limits(body_seconds=0.02))
ENDPOINTS = [*PAGES, *of_app(APP)]


def ask(method, path, *, host=b"127.0.0.1", token=TOKEN, more=()):
    """Send the start of a body, and nothing after it; return the answer's status and reason."""

    async def talk():
        sent, messages = [], [BODY]

        async def receive():
            if messages:
                return messages.pop()
            await asyncio.Event().wait()

        async def send(message):
            sent.append(message)

        headers = [(b"host", host), *more]
        if token:
            headers.append((b"authorization", b"Bearer " + token.encode()))
        scope = {"type": "http", "method": method, "path": path, "query_string": b""}
        await APP(scope | {"headers": headers, "http_version": "1.1"}, receive, send)
        return sent[0]["status"], json.loads(sent[1]["body"])["error"]

    return asyncio.run(talk())


def test_there_are_endpoints():
    assert {("POST", "/v1/predict"), ("POST", "/studio/tables")} <= {*ENDPOINTS}
    assert len(ENDPOINTS) > 15


@pytest.mark.parametrize(("method", "path"), ENDPOINTS)
def test_a_request_that_never_ends_is_ended(method, path):
    status, reason = ask(method, path)
    assert status == 408
    assert "0.02 seconds" in reason


@pytest.mark.parametrize(("method", "path"), ENDPOINTS)
def test_strangers_stay_outside(method, path, monkeypatch):
    monkeypatch.setattr("pulps.studio.guard.DRAIN_SECONDS", 0.01)
    assert ask(method, path, host=b"evil.example")[0] == 421
    assert ask(method, path, more=[(b"origin", b"https://evil.example")])[0] == 403
    if path not in WITHOUT_TOKEN:
        assert ask(method, path, token="")[0] == 401
        assert ask(method, path, token="guess")[0] == 401
