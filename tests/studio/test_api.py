"""What the API of a saved model answers."""

import numpy as np
import pandas as pd
import pytest
from serving import BEARER, open_client

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


def test_too_many_waiting_requests_are_sent_away(model):
    with open_client(model, waiting=0) as busy:
        answer = busy.post("/v1/predict", json={"rows": ROWS}, headers=BEARER)
        assert answer.status_code == 503
        assert "waiting" in answer.json()["error"]


def test_surprises_are_json_and_tell_nothing(client, monkeypatch):
    def surprise(*_):
        raise RuntimeError("a secret")

    monkeypatch.setattr("pulps.studio.api.score", surprise)
    answer = client.post("/v1/predict", json={"rows": ROWS}, headers=BEARER)
    assert answer.status_code == 500
    assert answer.json() == {"error": "Something went wrong here: RuntimeError."}
