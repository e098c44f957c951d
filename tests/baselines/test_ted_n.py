"""(TED)ⁿ: which rows it ignores, and the share it finds."""

import pytest
import torch

from pulps.baselines import TEDnClassifier
from pulps.baselines.networks.ted_n import keep_least_positive
from pulps.datasets import make_toy


def test_cvir_ignores_the_share_that_looks_most_positive():
    answers = torch.tensor([0.1, 5.0, -2.0, 3.0, 0.2])
    assert keep_least_positive(answers, 0.4).tolist() == [True, False, True, False, True]
    assert keep_least_positive(answers, 0.0).all()
    assert keep_least_positive(answers, 1.0).tolist() == [False, False, True, False, False]


def test_ted_n_finds_the_share_of_positives_while_it_learns():
    X, y, y_true = make_toy("blobs", n_rows=1000, n_labeled=250, random_state=0)
    model = TEDnClassifier(max_epochs=20, learning_rate=0.01, batch_size=300, random_state=0)
    model.fit(X, y)
    assert model.prior_of_unlabeled_ == pytest.approx(y_true[y == 0].mean(), abs=0.1)
    given = model.set_params(prior=0.5).fit(X, y)
    assert given.prior_of_unlabeled_ == pytest.approx((500 - 250) / 750)
