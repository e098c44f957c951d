"""The prior from naive Bayes is near the true one."""

import numpy as np
import pytest
from small_tables import ALL, drawn_table

from pulps.baselines import PositiveNaiveBayes
from pulps.baselines._shared.codes import TableCoder
from pulps.baselines._shared.naive_bayes_prior import naive_bayes_prior


@pytest.mark.parametrize("share", [0.25, 0.5, 0.75])
def test_the_estimated_share_is_near_the_true_one(share):
    X, truth, labeled = drawn_table(3000, share, seed=1)
    coder = TableCoder(ALL)
    codes = coder.fit_transform(X)
    estimate = naive_bayes_prior(codes, coder.n_values_, labeled, 0)
    assert estimate == pytest.approx(truth[~labeled].mean(), abs=0.06)


def test_one_labeled_row_does_not_show_the_share():
    X = np.random.default_rng(0).normal(size=(20, 3))
    model = PositiveNaiveBayes()
    with pytest.raises(ValueError, match="Pass the share of positives"):
        model.fit(X, np.arange(20) == 0)
    assert model.set_params(prior=0.5).fit(X, np.arange(20) == 0).predict(X).shape == (20,)
