"""The report on several classes: one color per class, and numbers that add up."""

import json

import numpy as np
import pytest
from sklearn.datasets import load_iris

from pulps import LPSSemiSupervisedClassifier
from pulps.report.colors import class_colors

NAMES = np.array(["<b>setosa</b>", "versicolor", "virginica"], dtype=object)


@pytest.fixture(scope="module")
def rows():
    X, y = load_iris(return_X_y=True, as_frame=True)
    labels = np.where(np.arange(150) % 6 == 0, NAMES[y], None)
    return X, labels


@pytest.fixture(scope="module")
def model(rows):
    return LPSSemiSupervisedClassifier(n_members=2, max_epochs=4, bond_dim=3, random_state=0).fit(
        *rows
    )


@pytest.fixture(scope="module")
def report(model, rows):
    X, labels = rows
    return model.report(X, labels, title="Flowers", n_rows=5)


def test_the_data_are_plain_and_the_page_is_whole(report):
    assert json.loads(json.dumps(report.data, allow_nan=False)) == report.data
    page = report.html()
    for color in class_colors(3):
        assert color in page
    for section in ("classes", "confusion", "candidates", "doubtful", "importance", "attributes"):
        assert f'id="{section}"' in page
    assert "&lt;b&gt;setosa" in page
    assert "<b>setosa" not in page
    assert "Flowers" in repr(report)


def test_rows_are_unlabeled_and_the_likeliest_of_their_class(report, model, rows):
    X, labels = rows
    chances = model.predict_proba(X)
    for number in range(3):
        listed = [item for item in report.data["candidates"]["rows"] if item["class"] == number]
        assert 0 < len(listed) <= 5
        places = np.array([item["row"] - 1 for item in listed])
        assert all(labels[place] is None for place in places)
        own = chances[places, number]
        np.testing.assert_allclose(own, [item["probability"] for item in listed])
        assert (np.diff(own) <= 0).all()
        others = np.array([value is None for value in labels])
        others &= chances.argmax(axis=1) == number
        others[places] = False
        assert chances[others, number].max(initial=0) <= own.min()


def test_held_out_labels_are_counted_once(report, model, rows):
    _, labels = rows
    given = [sum(value == name for value in labels) for name in NAMES]
    assert model.held_out_confusion_.sum(axis=1).tolist() == given
    for number, item in enumerate(report.data["classes"]):
        assert item["n_labeled"] == item["n_held_out"] == given[number]
        right = model.held_out_confusion_.iloc[number, number]
        assert item["recall"] == pytest.approx(right / given[number])
        low, high = item["recall_interval"]
        assert low <= item["recall"] <= high
    assert report.data["learned"]["accuracy"] == pytest.approx(
        np.trace(model.held_out_table_) / sum(given)
    )


def test_what_members_take_for_what_is_symmetric_and_agrees_with_their_agreement(report, model):
    table = np.array(report.data["members"])
    np.testing.assert_allclose(table, table.T)
    assert table.sum() == pytest.approx(1)


def test_effects_are_changes_of_the_log_odds(report, model, rows):
    X, _ = rows
    item = report.data["candidates"]["rows"][0]
    row, number = item["row"] - 1, item["class"]
    blank = X.iloc[[row]].copy()
    blank["petal width (cm)"] = np.nan
    odds = [model.predict_proba(part)[0, number] for part in (X.iloc[[row]], blank)]
    change = np.log(odds[0] / (1 - odds[0])) - np.log(odds[1] / (1 - odds[1]))
    place = report.data["candidates"]["attributes"].index("petal width (cm)")
    assert item["changes"][place] == pytest.approx(change, abs=1e-6)


def test_a_class_without_rows_is_told(model, rows):
    told = model.report(rows[0].iloc[:40]).data["warnings"]
    text = next(item["text"] for item in told if item["topic"] == "empty class")
    assert "versicolor" in text
    assert "virginica" in text


@pytest.mark.parametrize(
    ("labels", "message"),
    [(["rose"] * 150, "fitted with"), (["versicolor"], "one label per row")],
)
def test_labels_must_be_those_of_the_fit(model, rows, labels, message):
    with pytest.raises(ValueError, match=message):
        model.report(rows[0], labels)
