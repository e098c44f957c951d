"""Which rows to look at next: never a known one, and those that each way promises."""

import numpy as np
import pandas as pd
import pytest
from fitters import classifier

from pulps import PUClassifier
from pulps.datasets import make_toy
from pulps.estimators.questions.suggestion import suggest_rows

WAYS = ["uncertain", "likely", "diverse"]
pytestmark = pytest.mark.filterwarnings("ignore::pulps.decision.AgreementWarning")


@pytest.fixture(scope="module")
def problem():
    X, y, _ = make_toy("blobs", n_rows=120, n_labeled=30, random_state=0)
    return X, y


@pytest.fixture(scope="module", params=["consensus", "lps"])
def model(request, problem):
    X, y = problem
    if request.param == "consensus":
        return PUClassifier(views=["kernel"], random_state=0).fit(X, y)
    return classifier(max_epochs=4, n_repeats=1).fit(X, y)


@pytest.mark.parametrize("how", WAYS)
def test_rows_are_open_distinct_and_as_many_as_wanted(model, problem, how):
    X, y = problem
    known = np.where(np.arange(120) % 3 == 0, -1, y)  # which were looked at, and are negative
    chosen = model.suggest(X, 12, how=how, y=known)
    assert len(set(chosen.tolist())) == 12
    assert (known[chosen] == 0).all()
    few = np.where(np.arange(120) < 5, 0, 1)
    assert sorted(model.suggest(X, 12, how=how, y=few)) == [0, 1, 2, 3, 4]


def test_uncertain_rows_are_nearest_to_the_cut_and_likely_ones_highest(model, problem):
    X, y = problem
    decision = np.where(y == 1, np.nan, model.decision_function(X))
    assert set(model.suggest(X, 7, how="uncertain", y=y)) == set(np.argsort(np.abs(decision))[:7])
    assert model.suggest(X, 7, how="likely", y=y).tolist() == np.argsort(-decision)[:7].tolist()


def test_diverse_rows_are_farther_apart_than_likely_ones(model, problem):
    X, y = problem
    values = np.asarray(X)

    def nearest(rows):
        gaps = np.linalg.norm(values[rows][:, None] - values[rows][None], axis=2)
        return (gaps + np.where(np.eye(len(rows)), np.inf, 0)).min(axis=1).mean()

    diverse, likely = (model.suggest(X, 10, how=how, y=y) for how in ("diverse", "likely"))
    assert nearest(diverse) > nearest(likely)


def test_equal_rows_are_not_asked_about_twice(model, problem):
    X, y = problem
    twice = pd.concat([X, X], ignore_index=True)
    chosen = model.suggest(twice, 10, how="diverse", y=np.r_[y, y])
    assert len({number % 120 for number in chosen.tolist()}) == 10


def test_missing_labels_are_open_and_no_label_leaves_all_rows_open(model, problem):
    X, y = problem
    blank = np.where(y == 1, 1.0, np.nan)
    assert model.suggest(X, 9, y=blank).tolist() == model.suggest(X, 9, y=y).tolist()
    assert len(model.suggest(X, 500)) == 120


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"how": "best"}, "one of diverse, uncertain, likely"),
        ({"n": 0}, "one row at least"),
        ({"y": [1, 0]}, "one label per row"),
        ({"y": np.ones(120)}, "leaves none of the 120 rows open"),
    ],
)
def test_what_cannot_be_asked_is_refused(model, problem, options, message):
    with pytest.raises(ValueError, match=message):
        suggest_rows(model, problem[0], **({"n": 3, "how": "likely"} | options))


def test_a_model_that_learned_from_negatives_suggests_unlabeled_rows(problem):
    X, y = problem
    known = np.where((np.arange(120) % 3 == 0) & (y == 0), -1, y)
    model = PUClassifier(views=["kernel"], random_state=0).fit(X, known)
    assert model.classes_.tolist() == [-1, 1]
    assert (known[model.suggest(X, 12, y=known)] == 0).all()
