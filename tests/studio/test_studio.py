"""The server: who may come in, and what the API answers."""

import asyncio
import json

import numpy as np
import pandas as pd
import pytest
from serving import BEARER, TOKEN, open_client, small_model

from pulps.studio import Limits, make_app
from pulps.studio.batching import Batcher
from pulps.studio.computing import Computer

pytestmark = pytest.mark.filterwarnings(
    "ignore::pulps.decision.AgreementWarning",
    "ignore::sklearn.exceptions.ConvergenceWarning",
)


@pytest.fixture(scope="module")
def model():
    return small_model()


@pytest.fixture(scope="module")
def client(model):
    with open_client(model) as client:
        yield client


ROWS = [{"size": 1.5, "color": "red"}, {"size": None, "age": 30}, {}]


def test_scores_are_those_of_the_model(client, model):
    answer = client.post("/v1/predict", json={"rows": ROWS}, headers=BEARER)
    assert answer.status_code == 200
    table = pd.DataFrame(
        {"size": [1.5, None, None], "age": [None, 30, None], "color": ["red", None, None]}
    )
    scores = answer.json()["scores"]
    np.testing.assert_allclose(
        [score["decision"] for score in scores], model.decision_function(table)
    )
    np.testing.assert_allclose(
        [score["probability"] for score in scores], model.predict_proba(table)[:, 1]
    )
    assert [score["positive"] for score in scores] == model.predict(table).tolist()


def test_draws_are_those_of_the_model(client, model):
    body = {"n_rows": 3, "class": "negative", "given": {"color": "red", "age": 40}, "seed": 1}
    rows = client.post("/v1/sample", json=body, headers=BEARER).json()["rows"]
    expected = model.sample(3, 0, given={"color": "red", "age": 40}, random_state=1)
    assert rows == expected.to_dict("records")
    assert {row["age"] for row in rows} == {40}


def test_health_needs_no_token_and_says_whether_there_is_a_model(client):
    assert client.get("/v1/health").json() == {"status": "ok", "model": True}
    with open_client() as empty:
        assert empty.get("/v1/health").json() == {"status": "ok", "model": False}
        answer = empty.post("/v1/predict", json={"rows": ROWS}, headers=BEARER)
        assert answer.status_code == 404
        assert "pulps serve model.pulps" in answer.json()["error"]


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


MALFORMED = {
    "no json": b"{",
    "a list": b"[]",
    "no rows": b'{"rows": []}',
    "rows are text": b'{"rows": "x"}',
    "row is a list": b'{"rows": [[1]]}',
    "nested": b'{"rows": [{"size": {"a": 1}}]}',
    "unknown column": b'{"rows": [{"weight": 1}]}',
    "text for number": b'{"rows": [{"size": "big"}]}',
    "infinity": b'{"rows": [{"size": 1e999}]}',
    "infinite word": b'{"rows": [{"size": Infinity}]}',
    "huge integer": b'{"rows": [{"size": 1' + b"0" * 400 + b"}]}",
    "enormous integer": b'{"rows": [{"size": 1' + b"0" * 5000 + b"}]}",
    "extra": b'{"rows": [{}], "x": 1}',
    "deep": b'{"rows": ' + b"[" * 100_000,
    "bytes": b"\xff\xfe\x00",
    "half a character": b'{"rows": [{"\\ud800": 1}]}',
}


@pytest.mark.parametrize("case", MALFORMED)
def test_malformed_bodies_get_a_reason(client, case):
    headers = BEARER | {"Content-Type": "application/json"}
    answer = client.post("/v1/predict", content=MALFORMED[case], headers=headers)
    assert answer.status_code in (400, 422)
    assert answer.json()["error"]


@pytest.mark.parametrize(
    "body",
    [
        {"n_rows": 0},
        {"n_rows": -3},
        {"n_rows": "7"},
        {"class": "both"},
        {"given": {"weight": 1}},
        {"given": {"color": "pink"}},
        {"given": {"size": "big"}},
        {"seed": -1},
        {"seed": 2**40},
    ],
    ids=str,
)
def test_draws_that_cannot_be_get_a_reason(client, body):
    answer = client.post("/v1/sample", json=body, headers=BEARER)
    assert answer.status_code == 422
    assert answer.json()["error"]


def test_too_many_rows_are_refused(model):
    with open_client(model, request_rows=2) as small:
        answer = small.post("/v1/predict", json={"rows": ROWS}, headers=BEARER)
        assert answer.status_code == 413
        assert "3 rows" in answer.json()["error"]
        answer = small.post("/v1/sample", json={"n_rows": 3}, headers=BEARER)
        assert answer.status_code == 413


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
        left = list(messages)

        async def receive():
            if left:
                return left.pop(0)
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


def test_a_client_that_leaves_gets_nothing():
    app = make_app(token=TOKEN)
    messages = [
        {"type": "http.request", "body": b"a,b\n", "more_body": True},
        {"type": "http.disconnect"},
    ]
    assert call(app, messages) == []


def test_too_many_waiting_requests_are_sent_away(model):
    with open_client(model, waiting=0) as busy:
        answer = busy.post("/v1/predict", json={"rows": ROWS}, headers=BEARER)
        assert answer.status_code == 503
        assert "waiting" in answer.json()["error"]


@pytest.mark.parametrize(
    "path",
    [
        "/assets/../server.py",
        "/assets/%2e%2e/server.py",
        "/assets/..%2fserver.py",
        "/assets/%2fetc%2fpasswd",
        "/assets/studio.html",
        "/studio/jobs/..%2f..%2fetc/model.pulps",
    ],
)
def test_paths_lead_nowhere(client, path):
    answer = client.get(path, headers=BEARER)
    assert answer.status_code == 404
    assert "error" in answer.json()


def test_the_pages_bring_their_policy_and_load_only_from_here(client):
    answer = client.get("/", headers=BEARER)
    assert "script-src 'self'" in answer.headers["content-security-policy"]
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert "http" not in answer.text.replace("http-equiv", "")
    docs = client.get("/docs", headers=BEARER)
    assert "POST /v1/predict" in docs.text
    assert "https://" not in docs.text
    for name in ("studio.js", "studio.css"):
        assert client.get(f"/assets/{name}").status_code == 200
    assert "innerHTML" not in client.get("/assets/studio.js").text


def test_surprises_are_json_and_tell_nothing(client, monkeypatch):
    def surprise(*_):
        raise RuntimeError("a secret")

    monkeypatch.setattr("pulps.studio.api.score", surprise)
    answer = client.post("/v1/predict", json={"rows": ROWS}, headers=BEARER)
    assert answer.status_code == 500
    assert answer.json() == {"error": "Something went wrong here: RuntimeError."}


def test_rows_that_wait_together_are_scored_together_and_none_spoils_the_others():
    batches = []

    def work(rows):
        batches.append(len(rows))
        if any(row["x"] < 0 for row in rows):
            raise ValueError("a negative number")
        return [row["x"] ** 2 for row in rows]

    async def crowd():
        batcher = Batcher(work, Computer(Limits()), most_rows=6)
        requests = [[{"x": i}, {"x": 10 * i}] for i in range(5)]
        requests[3] = [{"x": -1}]
        return await asyncio.gather(*map(batcher.submit, requests), return_exceptions=True)

    answers = asyncio.run(crowd())
    assert answers[:3] == [[0, 0], [1, 100], [4, 400]]
    assert answers[4] == [16, 1600]
    assert str(answers[3].detail) == "a negative number"
    assert batches == [6, 3, 1, 2]


def test_a_request_that_is_given_up_is_not_computed():
    batches = []

    def work(rows):
        batches.append(rows)
        return rows

    async def crowd():
        batcher = Batcher(work, Computer(Limits()))
        patient = asyncio.create_task(batcher.submit([1]))
        gone = asyncio.create_task(batcher.submit([2]))
        await asyncio.sleep(0)
        gone.cancel()
        return await patient

    assert asyncio.run(crowd()) == [1]
    assert batches == [[1]]
