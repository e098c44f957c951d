"""The studio without a browser: tables in, trainings, downloads out."""

import io
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest
from serving import BEARER, TOKEN, make_table, open_client

from pulps import LPSClassifier, PUClassifier

pytestmark = pytest.mark.filterwarnings(
    "ignore::pulps.decision.AgreementWarning",
    "ignore::sklearn.exceptions.ConvergenceWarning",
)


@pytest.fixture(scope="module")
def client():
    with open_client() as client:
        yield client


def upload(client, content, name="table.csv"):
    return client.post(f"/studio/tables?name={name}", content=content, headers=BEARER)


QUICK = {"model": "lps", "members": 1, "epochs": 3}
CONSENSUS = {"model": "consensus", "members": None, "epochs": None, "generative": False}


BAD_TABLES = {
    b"": "body is empty",
    b"a,b\n": "no rows",
    b"a,a\n1,2\n": "more than one column",
    b"PAR1 but not": "cannot be read",
    b"\x1f\x8b broken": "cannot be read",
    b"a,b\n1,2\n3,4,5,6\n": "row 2, has more cells than the 2 names",
    b"a,b\n\xff\xfe\x81,1\n": "not text in UTF-8",
}


@pytest.mark.parametrize("content", BAD_TABLES)
def test_bad_tables_get_a_reason(client, content):
    answer = upload(client, content)
    assert answer.status_code == 422
    assert BAD_TABLES[content] in answer.json()["error"]


def test_tables_too_long_or_too_wide_are_refused():
    with open_client(table_rows=2, table_columns=3) as small:
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


def train(client, **settings):
    table = upload(client, make_table().to_csv(index=False).encode(), "mine.csv").json()["table"]
    body = {"table": table, "label": "bought", "seed": 0} | QUICK
    return client.post("/studio/jobs", json=body | settings, headers=BEARER)


@pytest.mark.parametrize(
    ("settings", "status", "message"),
    [
        ({"label": "sold"}, 422, "no column 'sold'"),
        ({"table": "x"}, 404, "no such table"),
        ({"positive": "maybe"}, 422, "never holds 'maybe'"),
        ({"kinds": {"size": "out", "age": "out", "color": "out"}}, 422, "Every column"),
        ({"kinds": {"size": "colors"}}, 422, "kinds.size"),
        ({"members": 1000}, 422, "members"),
        ({"model": "trees"}, 422, "model"),
        (CONSENSUS | {"epochs": 3}, 422, "this fit trains none"),
    ],
)
def test_trainings_that_cannot_be_get_a_reason(client, settings, status, message):
    answer = train(client, **settings)
    assert answer.status_code == status
    assert message in answer.json()["error"]


@pytest.fixture(scope="module")
def finished():
    """A server on which one training has ended."""
    with open_client(jobs=1) as client:
        job = train(client, kinds={"age": "categories"}, generative=True).json()["job"]
        second = train(client)
        status = {"state": "running"}
        while status["state"] == "running":
            status = client.get(f"/studio/jobs/{job}?wait=30", headers=BEARER).json()
        yield client, f"/studio/jobs/{job}", status, second


def test_one_training_too_many_is_refused(finished):
    *_, second = finished
    assert second.status_code == 429
    assert "No more than 1 at a time" in second.json()["error"]


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
    np.testing.assert_allclose(table["decision"], expected)
    assert list(table.columns)[-3:] == ["positive", "probability", "decision"]


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


def test_a_running_training_is_never_forgotten():
    with open_client(jobs=2, kept=2) as client:
        first = train(client, epochs=10_000).json()["job"]
        for _ in range(4):
            other = train(client, epochs=10_000).json()["job"]
            client.request("DELETE", f"/studio/jobs/{other}", headers=BEARER)
        assert client.get(f"/studio/jobs/{first}", headers=BEARER).json()["state"] == "running"


def test_many_starts_at_once_respect_the_limit():
    with open_client(jobs=2) as client, ThreadPoolExecutor(16) as crowd:
        table = upload(client, make_table().to_csv(index=False).encode()).json()["table"]
        body = {"table": table, "label": "bought", "model": "lps", "epochs": 10_000}

        def start(_):
            return client.post("/studio/jobs", json=body, headers=BEARER).status_code

        assert sorted(crowd.map(start, range(16))) == [201] * 2 + [429] * 14


def test_a_training_that_takes_too_long_or_fails_says_so():
    with open_client(train_seconds=0.01) as client:
        job = train(client, epochs=10_000).json()["job"]
        status = {"state": "running"}
        while status["state"] == "running":
            status = client.get(f"/studio/jobs/{job}?wait=30", headers=BEARER).json()
    assert status["state"] == "failed"
    assert "longer than 0.01 seconds" in status["reason"]


@pytest.fixture(scope="module")
def consensus():
    """A server on which a training with no settings but the defaults has ended."""
    with open_client() as client:
        table = upload(client, make_table().to_csv(index=False).encode(), "mine.csv")
        body = {"table": table.json()["table"], "label": "bought", "seed": 0, "generative": False}
        job = client.post("/studio/jobs", json=body, headers=BEARER).json()["job"]
        status = {"state": "running"}
        while status["state"] == "running":
            status = client.get(f"/studio/jobs/{job}?wait=30", headers=BEARER).json()
        yield client, f"/studio/jobs/{job}", status


def test_by_default_a_consensus_is_trained(consensus, tmp_path):
    client, path, status = consensus
    assert status["state"] == "done", status
    assert status["done"] == status["total"] > 0
    answer = client.get(f"{path}/model.pulps", headers=BEARER)
    (tmp_path / "model.pulps").write_bytes(answer.content)
    model = PUClassifier.load(tmp_path / "model.pulps")
    table = pd.read_csv(io.BytesIO(client.get(f"{path}/scores.csv", headers=BEARER).content))
    expected = model.decision_function(make_table().drop(columns="bought"))
    np.testing.assert_allclose(table["decision"], expected)
    page = client.get(f"{path}/report?token={TOKEN}").text
    assert 'id="views"' in page
    assert "This model does not generate" in page


def test_a_model_without_a_network_says_that_it_draws_no_rows(consensus):
    client, path, _ = consensus
    assert client.get(f"{path}/attributes", headers=BEARER).json()["generates"] is False
    answer = client.post(f"{path}/sample", json={"n_rows": 2}, headers=BEARER)
    assert answer.status_code == 422
    assert "saved without its network" in answer.json()["error"]


def test_a_second_file_is_scored_as_the_first_was(consensus):
    client, path, _ = consensus
    first = client.get(f"{path}/scores.csv", headers=BEARER).text
    table = make_table()
    shuffled = table[table.columns[::-1]].assign(note="seen")
    body = shuffled.to_csv(index=False).encode()
    answer = client.post(f"{path}/score?name=other.csv", content=body, headers=BEARER)
    assert answer.status_code == 200
    scores = pd.read_csv(io.StringIO(answer.text))
    np.testing.assert_allclose(
        scores["decision"], pd.read_csv(io.StringIO(first))["decision"], atol=1e-12
    )
    assert (scores["note"] == "seen").all()
    less = table.drop(columns="size").to_csv(index=False).encode()
    refused = client.post(f"{path}/score", content=less, headers=BEARER)
    assert refused.status_code == 422
    assert "the model was fitted on: size" in refused.json()["error"]


def test_the_report_tells_how_far_it_is_before_it_is_there(consensus):
    client, path, _ = consensus
    told = client.get(f"{path}/report/progress", headers=BEARER).json()
    assert set(told) == {"share", "doing", "ready", "failure"}
    client.get(f"{path}/report?token={TOKEN}")
    assert client.get(f"{path}/report/progress", headers=BEARER).json()["ready"]


def test_the_cut_is_moved_for_scores_report_and_model(consensus, tmp_path):
    client, path, _ = consensus

    def called():
        text = client.get(f"{path}/scores.csv", headers=BEARER).text
        return pd.read_csv(io.StringIO(text))["positive"].sum()

    def cut(**body):
        return client.post(f"{path}/cut", json=body, headers=BEARER)

    before = called()
    assert "expected among unlabeled rows" in cut(share=0.05).json()["told"]
    few = called()
    assert few < before
    (tmp_path / "model.pulps").write_bytes(
        client.get(f"{path}/model.pulps", headers=BEARER).content
    )
    model = PUClassifier.load(tmp_path / "model.pulps")
    assert model.predict(make_table().drop(columns="bought")).sum() == few
    assert cut(share=0.1, recall=0.5).status_code == 422
    assert cut(share=3).status_code == 422
    assert cut().status_code == 200
    assert called() == before


def test_prior_and_rule_are_chosen(client):
    job = train(client, **CONSENSUS, prior=0.4, threshold="prior").json()["job"]
    status = {"state": "running"}
    while status["state"] == "running":
        status = client.get(f"/studio/jobs/{job}?wait=30", headers=BEARER).json()
    assert status["state"] == "done", status
    told = client.post(f"/studio/jobs/{job}/cut", json={}, headers=BEARER).json()["told"]
    assert "(prior)" in told
    assert train(client, **CONSENSUS, prior=2.0).status_code == 422
