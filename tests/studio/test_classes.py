"""Several classes in the studio and in the API: train, read, draw, score."""

import io

import numpy as np
import pandas as pd
import pytest
from serving import BEARER, TOKEN, open_client
from sklearn.datasets import load_iris

from pulps import LPSSemiSupervisedClassifier
from pulps.network.likelihood import LikelihoodRecipe


@pytest.fixture(scope="module")
def table():
    frame = load_iris(as_frame=True).frame
    names = frame.pop("target").map({0: "setosa", 1: "versicolor", 2: "=virginica()"})
    return frame.assign(kind=names.where(np.arange(150) % 6 == 0)), names


@pytest.fixture(scope="module")
def finished(table):
    """A server on which one training of several classes has ended."""
    with open_client(jobs=1) as client:
        content = table[0].to_csv(index=False).encode()
        key = client.post("/studio/tables?name=t.csv", content=content, headers=BEARER)
        body = {"table": key.json()["table"], "label": "kind", "model": "classes", "seed": 0}
        body |= {"members": 1, "epochs": 2}
        started = client.post("/studio/jobs", json=body, headers=BEARER)
        job, status = started.json()["job"], {"state": "running"}
        while status["state"] == "running":
            status = client.get(f"/studio/jobs/{job}?wait=30", headers=BEARER).json()
        assert status["state"] == "done", status
        yield client, f"/studio/jobs/{job}"


def test_a_training_ends_with_scores_of_classes_and_a_report(finished, table):
    client, path = finished
    scores = client.get(f"{path}/scores.csv", headers=BEARER)
    found = pd.read_csv(io.BytesIO(scores.content))
    assert ((found["class"].str.lstrip("'") == table[1]).mean()) > 0.9
    assert "'=virginica()" in scores.text  # no formula
    page = client.get(f"{path}/report?token={TOKEN}").text
    assert all(f'id="{section}"' in page for section in ("classes", "confusion", "doubtful"))
    told = client.get(f"{path}/attributes", headers=BEARER).json()
    assert told["several"]
    assert set(told["classes"]) == set(table[1])


def test_known_negatives_are_counted_and_not_listed(finished, table):
    client, _ = finished
    frame, names = table
    marks = np.where(names == "setosa", "yes", "no")
    marks = np.where(np.arange(150) % 3 == 0, marks, "")
    content = frame.drop(columns="kind").assign(bought=marks).to_csv(index=False).encode()
    key = client.post("/studio/tables?name=t.csv", content=content, headers=BEARER)
    body = {"table": key.json()["table"], "label": "bought", "positive": "yes", "seed": 0}
    started = client.post("/studio/jobs", json=body | {"negative": "no"}, headers=BEARER)
    job, status = started.json()["job"], {"state": "running"}
    while status["state"] == "running":
        status = client.get(f"/studio/jobs/{job}?wait=30", headers=BEARER).json()
    assert status["state"] == "done", status
    page = client.get(f"/studio/jobs/{job}/report?token={TOKEN}").text
    n_negative = (marks == "no").sum()
    assert f"{n_negative} known to be negative, 100 unlabeled" in page
    assert "counted, not estimated" in page


def test_several_classes_have_no_cut(finished):
    client, path = finished
    answer = client.post(f"{path}/cut", json={"share": 0.1}, headers=BEARER)
    assert answer.status_code == 422
    assert "has no cut" in answer.json()["error"]


@pytest.fixture(scope="module")
def served(table):
    frame, _ = table
    density = LikelihoodRecipe(bond_dim=2, feature_dim=4, n_members=1, max_epochs=2)
    model = LPSSemiSupervisedClassifier(
        n_members=1, max_epochs=1, bond_dim=2, density=density, random_state=0
    ).fit(frame.drop(columns="kind"), frame["kind"].where(frame["kind"].notna(), None))
    with open_client(model) as client:
        yield client, model


def test_the_api_tells_classes_and_draws_from_them(served):
    client, model = served
    rows = [{"petal length (cm)": 1.4}, {"petal width (cm)": 2.3, "sepal width (cm)": None}]
    answer = client.post("/v1/predict", json={"rows": rows}, headers=BEARER)
    assert answer.status_code == 200, answer.json()
    frame = pd.DataFrame(rows, columns=model.feature_names_in_)
    for score, chances in zip(answer.json()["scores"], model.predict_proba(frame), strict=True):
        assert score["class"] == model.classes_[chances.argmax()]
        np.testing.assert_allclose(list(score["probabilities"].values()), chances)
        assert score["probability"] == pytest.approx(chances.max())
    drawn = client.post(
        "/v1/sample", json={"n_rows": 2, "class": "setosa", "seed": 1}, headers=BEARER
    ).json()["rows"]
    assert drawn == model.sample(2, "setosa", random_state=1).to_dict("records")
    wrong = client.post("/v1/sample", json={"class": "rose"}, headers=BEARER)
    assert wrong.status_code == 422
    assert "no class 'rose'" in wrong.json()["error"]
