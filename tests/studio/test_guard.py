"""Who may come in, and with how much."""

import asyncio
import json

import pytest
from serving import BEARER, TOKEN, open_client

from pulps.studio.limits import Limits
from pulps.studio.server import make_app

ROWS = [{"size": 1.5, "color": "red"}, {"size": None, "age": 30}, {}]


@pytest.mark.parametrize("path", ["/", "/docs", "/openapi.json", "/v1/model", "/studio/jobs/x"])
@pytest.mark.parametrize(
    "headers",
    [{}, {"Authorization": "Bearer wrong"}, {"Authorization": f"Basic {TOKEN}"}],
    ids=["none", "wrong", "basic"],
)
def test_without_the_token_nothing_is_told(client, path, headers):
    answer = client.get(path, headers=headers)
    assert answer.status_code == 401
    assert "token" in answer.json()["error"]
    assert client.get(f"{path}?token=wrong").status_code == 401
    assert client.get(f"{path}?token={TOKEN}").status_code in (200, 404)


def test_a_token_in_the_address_is_for_reading_only(client):
    assert client.post(f"/v1/predict?token={TOKEN}", json={"rows": ROWS}).status_code == 401


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "", "evil:8765"])
def test_foreign_host_names_are_refused(client, host):
    answer = client.get("/v1/health", headers={"Host": host})
    assert answer.status_code == 421
    assert "error" in answer.json()


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1", "[::1]:8765", "127.0.0.1"])
def test_own_host_names_are_taken(client, host):
    assert client.get("/v1/health", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://127.0.0.1:1"])
def test_other_sites_are_refused_even_with_the_token(client, origin):
    headers = BEARER | {"Origin": origin}
    answer = client.post("/v1/predict", json={"rows": ROWS}, headers=headers)
    assert answer.status_code == 403
    assert "access-control-allow-origin" not in answer.headers
    own = BEARER | {"Origin": str(client.base_url).rstrip("/")}
    assert client.post("/v1/predict", json={"rows": ROWS}, headers=own).status_code == 200


def test_large_bodies_are_refused_told_or_not(model):
    with open_client(model, body_bytes=1000) as small:
        for content in (b"x" * 1001, iter([b"x" * 600, b"x" * 600])):
            answer = small.post("/studio/tables", content=content, headers=BEARER)
            assert answer.status_code == 413
            assert "1000 bytes" in answer.json()["error"]


def call(app, messages, headers=()):
    """Talk to the server message by message; after the last one the client is silent."""

    async def talk():
        sent = []

        async def receive():
            if messages:
                return messages.pop(0)
            await asyncio.Event().wait()

        async def send(message):
            sent.append(message)

        scope = {
            "type": "http",
            "method": "POST",
            "path": "/studio/tables",
            "query_string": b"",
            "headers": [(b"host", b"127.0.0.1"), (b"authorization", b"Bearer " + TOKEN.encode())],
        }
        scope["headers"] += list(headers)
        await app(scope, receive, send)
        return sent

    return asyncio.run(talk())


def test_a_body_that_never_ends_is_given_up():
    app = make_app(token=TOKEN, limits=Limits(body_seconds=0.05))
    start, body = call(app, [{"type": "http.request", "body": b"a,b\n", "more_body": True}])
    assert start["status"] == 408
    assert "0.05 seconds" in json.loads(body["body"])["error"]


@pytest.mark.parametrize(
    ("header", "status"),
    [
        ((b"content-length", b"9" * 30), 413),
        ((b"content-length", b"-5"), 400),
        ((b"host", b"evil.example"), 400),
        ((b"authorization", b"Bearer x"), 400),
    ],
)
def test_headers_that_lie_or_come_twice_are_refused(header, status):
    app = make_app(token=TOKEN)
    start, _ = call(app, [{"type": "http.request", "body": b""}], headers=[header])
    assert start["status"] == status


def test_a_refused_client_may_finish_before_it_hears_why():
    """Or the connection would be reset, and the reason lost."""
    app = make_app(token=TOKEN)
    parts = [{"type": "http.request", "body": b"x" * 99, "more_body": more} for more in (1, 1, 0)]
    left = list(parts)
    start, body = call(app, left, headers=[(b"origin", b"https://evil.example")])
    assert start["status"] == 403
    assert "other sites" in json.loads(body["body"])["error"]
    assert left == []
    endless = [parts[0]] * 5000
    call(app, endless, headers=[(b"origin", b"https://evil.example")])
    assert len(endless) > 4000


def test_a_client_that_leaves_gets_nothing():
    app = make_app(token=TOKEN)
    messages = [
        {"type": "http.request", "body": b"a,b\n", "more_body": True},
        {"type": "http.disconnect"},
    ]
    assert call(app, messages) == []
