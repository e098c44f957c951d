"""PU bagging: the cut by a prior, and scores by members that did not see the row."""

import numpy as np
import pytest

from pulps.baselines import PUBaggingClassifier
from pulps.datasets import make_toy


def test_bagging_with_a_prior_calls_that_share_of_unlabeled_rows_positive():
    X, y, _ = make_toy("moons", random_state=0)
    model = PUBaggingClassifier(prior=0.3, n_estimators=30, random_state=0).fit(X, y)
    share = (model.oob_score_samples_[y == 0] > model.threshold_).mean()
    assert share == pytest.approx((300 - 100) / 900, abs=0.02)


def test_bagging_never_scores_a_row_by_members_that_took_it_for_a_negative():
    X = np.arange(12.0)[:, None]
    y = np.repeat([1, 0], [3, 9])
    model = PUBaggingClassifier(n_estimators=200, prior=None, random_state=0).fit(X, y)
    inside = model.predict_proba(X)[y == 0, 1]
    assert (model.oob_score_samples_[y == 0] >= inside - 1e-12).all()
    assert (model.oob_score_samples_[y == 0] > inside + 0.01).any()


def test_an_estimated_prior_asks_for_two_labeled_rows():
    X, y, _ = make_toy("moons", n_rows=40, n_labeled=1, random_state=0)
    with pytest.raises(ValueError, match="Pass the share of positives in the population as prior"):
        PUBaggingClassifier(random_state=0).fit(X, y)
