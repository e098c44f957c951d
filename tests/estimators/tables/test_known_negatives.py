"""Rows that are known to be negative: a third value of y."""

import numpy as np
import pytest
from sklearn.datasets import make_moons

from pulps import LPSClassifier, PUClassifier
from pulps.decision.known_negatives import decide_with_negatives, share_by_both

QUICK = dict(n_members=2, max_epochs=10, random_state=0)


@pytest.fixture(scope="module")
def moons():
    X, truth = make_moons((150, 250), noise=0.3, random_state=0)
    order = np.random.RandomState(1).permutation(400)
    X, truth = X[order], 1 - truth[order]
    y = np.zeros(400, dtype=int)
    y[np.flatnonzero(truth == 1)[:40]] = 1
    y[np.flatnonzero(truth == 0)[:60]] = -1
    return X, y, truth


@pytest.mark.parametrize("model", [PUClassifier(random_state=0), LPSClassifier(**QUICK)])
def test_known_negatives_are_counted_instead_of_estimated(moons, model):
    X, y, truth = moons
    model.fit(X, y)
    report, unlabeled = model.threshold_report_, y == 0
    assert model.classes_.tolist() == [-1, 1]
    assert report.n_negative == 60
    assert "counted" in str(report)
    assert "60 known negatives" in str(report)
    share = truth[unlabeled].mean()
    assert report.prior_interval[0] - 0.05 < share < report.prior_interval[1] + 0.05
    right = (model.predict(X) == np.where(truth, 1, -1))[unlabeled].mean()
    low, high = report.accuracy_interval
    assert low - 0.05 < right < high + 0.05
    assert (model.predict(X)[y == -1] == -1).mean() > 0.8
    page = model.report(X, y)
    told = page.data["learned"]
    assert told["n_negative"] == told["n_known_negative"] == 60
    assert told["n_unlabeled"] == unlabeled.sum()
    assert {row["row"] - 1 for row in page.data["candidates"]["rows"]} <= {
        *np.flatnonzero(unlabeled)
    }
    assert "40 known positives and 60 known negatives" in page.data["answer"]["how_sure"]
    assert "Nobody told the model which rows are negative" not in page.html()
    assert "counted, not estimated" in page.html()


def test_a_report_takes_labels_as_the_fit_does(moons):
    X, y, _ = moons
    y = np.where(y == 1, 1.0, np.nan)
    model = PUClassifier(views=["kernel"], random_state=0).fit(X, y)
    learned = model.report(X, y).data["learned"]
    assert learned["n_labeled"] == 40
    later = model.report(X, np.where(np.arange(len(y)) < 20, -1, np.nan_to_num(y)))
    assert later.data["learned"]["n_known_negative"] == 20
    assert "Known negatives are too few to count on" in later.html()


def test_the_second_state_learns_them(moons):
    X, y, _ = moons
    alone = dict(first_guess=None, n_members=1, max_epochs=3, random_state=0)
    with_them = LPSClassifier(**alone).fit(X, y)
    without = LPSClassifier(**alone).fit(X, np.maximum(y, 0))
    assert any(
        (one != other).any()
        for one, other in zip(with_them.negative_cores_, without.negative_cores_, strict=True)
    )


def test_two_values_mean_what_they_always_meant(moons):
    X, y, _ = moons
    X, y = X[:150], y[:150]
    zeros = LPSClassifier(**QUICK).fit(X, (y == 1).astype(int))
    minus_ones = LPSClassifier(**QUICK).fit(X, np.where(y == 1, 1, -1))
    np.testing.assert_array_equal(zeros.decision_function(X), minus_ones.decision_function(X))
    assert zeros.threshold_report_.n_negative == 0


def test_the_share_of_positives_follows_from_both_kinds():
    rng = np.random.RandomState(0)
    kind = np.repeat(["positive", "negative", "mixed"], [300, 300, 2000])
    positive = np.where(kind == "mixed", rng.rand(2600) < 0.2, kind == "positive")
    scores = rng.randn(2600) + 2 * positive
    labeled, negative = kind == "positive", kind == "negative"
    share = share_by_both(scores, labeled, negative, np.ones(2600))
    assert share == pytest.approx(0.2, abs=0.04)
    told = decide_with_negatives(scores, labeled, np.ones(2600), negative, random_state=0)
    low, high = told.report.prior_interval
    assert low - 0.01 < positive[kind == "mixed"].mean() < high + 0.01
    assert high - low < 0.15
    assert told.prior == pytest.approx((300 + 0.2 * 2000) / 2600, abs=0.04)
    few = negative & (np.cumsum(negative) <= 9)
    assert share_by_both(scores, labeled, few, np.ones(2600)) is None
