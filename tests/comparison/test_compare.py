"""Methods on one table: honest areas, paired differences, and advice that follows from them."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

import pulps
from pulps.comparison import CONTENDERS, DEFAULT_CONTENDERS, compare
from pulps.comparison.contenders import NAIVE, make_contenders
from pulps.comparison.judging import MethodFailedWarning
from pulps.metrics import bootstrap_difference, pu_roc_auc_score

mpl.use("agg")
GOOD = ("good", LogisticRegression(class_weight="balanced"))
NOISE = ("noise", DummyClassifier(strategy="uniform", random_state=0))
TREE = ("tree", DecisionTreeClassifier(random_state=0))


@pytest.fixture(scope="module")
def problem():
    rng = np.random.default_rng(0)
    truth = rng.random(300) < 0.4
    X = rng.normal(size=(300, 2)) + 2.5 * truth[:, None]
    return X, (truth & (rng.random(300) < 0.5)).astype(int), truth


@pytest.fixture(scope="module")
def found(problem):
    X, y, _ = problem
    return compare(X, y, methods=[NOISE, GOOD, TREE], cv=3, n_resamples=200)


def test_the_better_method_is_first_and_surely_so(found):
    assert found.best == "good"
    assert found.chance > 0.95
    assert found.advice.startswith("Take good (area")
    assert found.table["auc"].is_monotonic_decreasing
    assert found.table["chance_best"].sum() == pytest.approx(1)
    assert found.table.loc["noise", "behind_low"] > 0
    assert found.table.loc["good", "behind"] == 0


def test_the_area_is_near_the_truth_and_inside_its_interval(found, problem):
    _, _, truth = problem
    row = found.table.loc["good"]
    score = found.scores["good"]
    area = np.mean(score[truth][:, None] > score[~truth]) + (
        np.mean(score[truth][:, None] == score[~truth]) / 2
    )
    assert row["auc"] == pytest.approx(area, abs=0.06)
    assert row["auc_low"] <= row["auc"] <= row["auc_high"]


def test_areas_and_differences_are_those_of_the_metrics(found, problem):
    _, y, _ = problem
    first, second = found.scores["good"], found.scores["tree"]
    known = {"prior": found.prior}
    assert found.table.loc["good", "auc"] == pytest.approx(pu_roc_auc_score(y, first, **known))
    gap = bootstrap_difference("roc_auc", y, first, second, n_resamples=20, **known)
    assert found.table.loc["tree", "behind"] == pytest.approx(gap.value, abs=1e-6)


def test_scores_are_honest(problem):
    """A method that remembers its rows gains nothing by it."""
    X, _, _ = problem
    y = (np.random.default_rng(1).random(300) < 0.3).astype(int)  # nothing to learn
    memory = ("memory", KNeighborsClassifier(1))
    table = compare(X, y, methods=[memory, GOOD], cv=3, n_resamples=50).table
    assert (table["labeled_auc"] - 0.5).abs().max() < 0.1


def test_equal_methods_have_no_winner(problem):
    X, y, _ = problem
    again = ("again", LogisticRegression(class_weight="balanced"))
    found = compare(X, y, methods=[GOOD, again], cv=2, n_resamples=50)
    assert found.chance == pytest.approx(0.5)
    assert "no clear winner" in found.advice
    assert "again may be as good" in found.advice


def test_few_labels_make_the_advice_a_doubt(found, problem):
    X, y, _ = problem
    few = y * (np.cumsum(y) <= 6)
    doubted = compare(X, few, methods=[GOOD, TREE], cv=2, n_resamples=20)
    assert "rests on 6 labeled rows" in doubted.advice
    assert "rests on" not in found.advice


def test_tables_of_any_library_and_labels_of_any_kind_give_the_same(problem):
    X, y, _ = problem
    frame = pd.DataFrame(X, columns=["a", "b"])
    words = np.where(y, "yes", "no")
    options = {"methods": ["spies", "naive forest"], "cv": 2, "n_resamples": 20}
    first = compare(frame, y, **options).table
    for other in (
        compare(pl.DataFrame(frame), np.where(y, 1, -1), **options),
        compare(frame, words, pos_label="yes", **options),
    ):
        columns = ["auc", "f1", "prior"]
        pd.testing.assert_frame_equal(first[columns], other.table[columns])


def test_large_tables_are_thinned_and_keep_their_labels(problem):
    X, y, _ = problem
    found = compare(X, y, methods=[GOOD, TREE], cv=2, n_resamples=10, max_rows=150)
    assert len(found.labeled) == 150
    assert found.labeled.sum() == min(y.sum(), 75)


def test_a_method_that_fails_is_left_out_and_said_so(problem):
    X, y, _ = problem
    X = np.where(np.arange(len(X))[:, None] == 0, np.nan, X)  # which naive Bayes refuses
    methods = [("bayes", GaussianNB()), TREE, NOISE]
    with pytest.warns(MethodFailedWarning, match="bayes is left out: .*NaN"):
        found = compare(X, y, methods=methods, cv=2, n_resamples=10)
    assert "bayes" not in found.table.index


def test_the_default_contenders_can_be_made_and_named():
    made = make_contenders(None, "case-control", seed=3)
    assert tuple(made) == DEFAULT_CONTENDERS
    assert "PUClassifier" in made
    assert NAIVE in made
    assert all(hasattr(model, "fit") for model in made.values())
    assert list(make_contenders(["elkan-noto", "nnpu"], "case-control", 0)) == [
        "Elkan–Noto",
        "nnPU",
    ]
    assert made["PUClassifier"].scenario == "case-control"
    assert set(CONTENDERS) - set(DEFAULT_CONTENDERS) == {"LPSClassifier"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"methods": ["svm", "spies"]}, "expected one of naive forest"),
        ({"methods": ["spies"]}, "names 1 method; a comparison needs two"),
        ({"methods": [GOOD, GOOD]}, "more than once"),
        ({"cv": 1}, "cv is 1; .* pass 2 or more"),
        ({"prior": 2.0}, "prior is 2.0; the share of positives must lie between"),
        ({"prior": float("nan")}, "prior is nan"),
        ({"prior": 1e-9}, "Pass a larger prior"),
    ],
)
def test_what_cannot_be_compared_is_refused_before_any_fit(options, message, problem):
    X, y, _ = problem
    told = []
    with pytest.raises(ValueError, match=message):
        compare(X, y, **options, tell=told.append)
    assert told == []


def test_too_few_labels_are_refused():
    with pytest.raises(ValueError, match="1 labeled and 5 unlabeled"):
        compare(np.arange(6.0)[:, None], [1, 0, 0, 0, 0, 0], methods=[GOOD, TREE])


def test_it_is_shown_as_text_page_and_picture(found):
    assert pulps.compare is compare
    assert str(found).count("\n") == 5
    assert "<table" in found._repr_html_()
    ax = found.plot()
    assert [text.get_text() for text in ax.get_yticklabels()] == list(found.table.index[::-1])
    plt.close("all")


def test_the_naive_way_is_judged_in_words(problem):
    X, y, _ = problem
    options = {"methods": ["naive forest", ("good", GaussianNB())], "cv": 2, "n_resamples": 50}
    found = compare(X, y, **options)
    low, high = found.prior_interval
    assert low <= found.prior_of_unlabeled <= high
    assert f"({low:.0%} to {high:.0%}) are" in found.advice
    given = compare(X, y, prior=0.4, **options)
    assert given.prior == pytest.approx(0.4)
    assert "to" not in given.advice.split("where about")[1]
