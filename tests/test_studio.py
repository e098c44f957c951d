"""The server: who may come in, what it answers, and the journey without a browser."""

import asyncio
import io
import json

import numpy as np
import pandas as pd
import pytest
from serving import serving

from pulps import LPSClassifier
from pulps.studio import Limits, make_app
from pulps.studio.batching import Batcher
from pulps.studio.computing import Computer
from pulps.studio.tables import Shelf

TOKEN = "a-token-for-tests"
BEARER = {"Authorization": f"Bearer {TOKEN}"}
pytestmark = pytest.mark.filterwarnings(
    "ignore::pulps.selection.AgreementWarning", "ignore::sklearn.exceptions.ConvergenceWarning"
)


def make_table(n_rows=60):
    rng = np.random.default_rng(0)
    truth = rng.random(n_rows) < 0.5
    return pd.DataFrame(
        {
            "size": rng.normal(size=n_rows) + 3 * truth,
            "age": rng.integers(20, 60, n_rows),
            "color": np.where(rng.random(n_rows) < 0.2 + 0.6 * truth, "red", "=blue()"),
            "bought": np.where(truth & (rng.random(n_rows) < 0.6), "yes", None),
        }
    )


@pytest.fixture(scope="module")
def model():
    table = make_table()
    y = table.pop("bought").notna()
    quick = LPSClassifier(n_members=1, max_epochs=4, n_repeats=1, random_state=0)
    return quick.fit(table, y)


def open_client(model=None, **limits):
    return serving(make_app(model, token=TOKEN, limits=Limits(**limits)))


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
        [score["log_ratio"] for score in scores], model.decision_function(table)
    )
    np.testing.assert_allclose(
        [score["probability"] for score in scores], model.predict_proba(table)[:, 1]
    )
    assert [score["positive"] for score in scores] == model.predict(table).tolist()


def test_draws_are_those_of_the_model(client, model):
    body = {"n_rows": 3, "side": "negative", "given": {"color": "red", "age": 40}, "seed": 1}
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
        {"side": "both"},
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


def upload(client, content, name="table.csv"):
    return client.post(f"/studio/tables?name={name}", content=content, headers=BEARER)


BAD_TABLES = {
    b"": "body is empty",
    b"a,b\n": "no rows",
    b"a,a\n1,2\n": "more than one column",
    b"PAR1 but not": "cannot be read",
    b"\x1f\x8b broken": "cannot be read",
    b"a,b\n1,2\n3,4,5,6\n": "cannot be read",
    b"a,b\n\xff\xfe,1\n": "not text in UTF-8",
}


@pytest.mark.parametrize("content", BAD_TABLES)
def test_bad_tables_get_a_reason(client, content):
    answer = upload(client, content)
    assert answer.status_code == 422
    assert BAD_TABLES[content] in answer.json()["error"]


def test_tables_too_long_or_too_wide_are_refused(model):
    with open_client(model, table_rows=2, table_columns=3) as small:
        assert upload(small, b"a,b\n1,2\n3,4\n").status_code == 200
        assert upload(small, b"a,b\n1,2\n3,4\n5,6\n").status_code == 413
        assert upload(small, b"a,b,c,d\n1,2,3,4\n").status_code == 413


def test_the_name_of_an_upload_is_text_only(client):
    answer = upload(client, b"a,b\n1,2\n3,4\n", name="..%2f..%2fetc%2fpasswd%00%0a")
    assert answer.json()["name"] == "../../etc/passwd"


def test_kinds_are_guessed(client):
    table = make_table()
    table["id"] = [f"id{i}" for i in range(len(table))]
    table["same"] = 1
    big = pd.concat([table.assign(id=lambda t, k=k: t["id"] + str(k)) for k in range(6)])
    answer = upload(client, big.to_csv(index=False).encode()).json()
    kinds = {column["name"]: column["kind"] for column in answer["columns"]}
    assert kinds == {
        "size": "numbers",
        "age": "numbers",
        "color": "categories",
        "bought": "out",
        "id": "out",
        "same": "out",
    }


def test_the_shelf_forgets_the_oldest():
    dropped = []
    shelf = Shelf("thing", 2, dropped.append)
    keys = [shelf.put(i) for i in range(3)]
    assert dropped == [0]
    assert [shelf.get(key) for key in keys[1:]] == [1, 2]
    with pytest.raises(Exception, match="no such thing"):
        shelf.get(keys[0])


def train(client, **settings):
    table = upload(client, make_table().to_csv(index=False).encode(), "mine.csv").json()["table"]
    body = {"table": table, "label": "bought", "members": 1, "epochs": 3, "seed": 0}
    return client.post("/studio/jobs", json=body | settings, headers=BEARER)


@pytest.mark.parametrize(
    ("settings", "status", "message"),
    [
        ({"label": "sold"}, 422, "no column 'sold'"),
        ({"table": "x"}, 404, "no such table"),
        ({"positive": "maybe"}, 422, "never holds 'maybe'"),
        ({"kinds": {"size": "out", "age": "out", "color": "out"}}, 422, "Every column"),
        ({"kinds": {"size": "dates"}}, 422, "kinds.size"),
        ({"members": 1000}, 422, "members"),
    ],
)
def test_trainings_that_cannot_be_get_a_reason(client, settings, status, message):
    answer = train(client, **settings)
    assert answer.status_code == status
    assert message in answer.json()["error"]


@pytest.fixture(scope="module")
def finished(model):
    """A server on which one training has ended."""
    with open_client(model, jobs=1) as client:
        job = train(client, kinds={"age": "categories"}, generative=False).json()["job"]
        second = train(client)
        status = {"state": "running"}
        while status["state"] == "running":
            status = client.get(f"/studio/jobs/{job}?wait=30", headers=BEARER).json()
        yield client, f"/studio/jobs/{job}", status, second


def test_one_training_too_many_is_refused(finished):
    *_, second = finished
    assert second.status_code == 429
    assert "running already" in second.json()["error"]


def test_a_training_ends_with_a_model_that_can_be_used_elsewhere(finished, tmp_path):
    client, path, status, _ = finished
    assert status["state"] == "done", status
    assert (status["done"], status["total"]) == (3, 3)
    answer = client.get(f"{path}/model.pulps", headers=BEARER)
    (tmp_path / "model.pulps").write_bytes(answer.content)
    model = LPSClassifier.load(tmp_path / "model.pulps")
    kinds = {column.name: type(column).__name__ for column in model.encoder_.columns_}
    assert kinds["age"] == "CategoricalColumn"
    assert kinds["size"] == "NumericColumn"
    scores = client.get(f"{path}/scores.csv", headers=BEARER)
    table = pd.read_csv(io.BytesIO(scores.content))
    frame = make_table().drop(columns="bought")
    expected = model.decision_function(frame.assign(age=frame["age"].astype(str)))
    np.testing.assert_allclose(table["log_ratio"], expected)
    assert list(table.columns)[-3:] == ["positive", "probability", "log_ratio"]


def test_downloads_hold_no_formula(finished):
    client, path, *_ = finished
    text = client.get(f"{path}/scores.csv", headers=BEARER).text
    assert ",'=blue()," in text
    assert ",=blue()," not in text


def test_the_report_is_a_page_of_its_own(finished):
    client, path, *_ = finished
    answer = client.get(f"{path}/report?token={TOKEN}")
    assert "Report on mine.csv" in answer.text
    assert "frame-ancestors 'self'" in answer.headers["content-security-policy"]


def test_the_studio_draws(finished):
    client, path, *_ = finished
    names = client.get(f"{path}/attributes", headers=BEARER).json()["attributes"]
    assert [item["kind"] for item in names] == ["numbers", "categories", "categories"]
    body = {"n_rows": 4, "given": {"color": "red"}}
    rows = client.post(f"{path}/sample", json=body, headers=BEARER).json()["rows"]
    assert [row["color"] for row in rows] == ["red"] * 4


def test_a_training_is_cancelled_at_once_and_leaves_nothing():
    with open_client(jobs=1) as client:
        job = train(client, epochs=10_000).json()["job"]
        path = f"/studio/jobs/{job}"
        assert client.get(f"{path}/report", headers=BEARER).status_code == 409
        answer = client.request("DELETE", path, headers=BEARER)
        assert answer.json()["state"] == "cancelled"
        assert client.get(path, headers=BEARER).json()["state"] == "cancelled"
        assert train(client, epochs=10_000).status_code == 201


def test_a_training_that_takes_too_long_or_fails_says_so():
    with open_client(train_seconds=0.01) as client:
        job = train(client, epochs=10_000).json()["job"]
        status = {"state": "running"}
        while status["state"] == "running":
            status = client.get(f"/studio/jobs/{job}?wait=30", headers=BEARER).json()
    assert status["state"] == "failed"
    assert "longer than 0.01 seconds" in status["reason"]


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
