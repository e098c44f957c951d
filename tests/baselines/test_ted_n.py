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


def test_two_unlabeled_rows_are_enough_to_hold_one_out():
    X = torch.arange(20.0)[:, None].numpy()
    y = [1] * 18 + [0] * 2
    model = TEDnClassifier(max_epochs=2, warm_up_epochs=1, random_state=0).fit(X, y)
    assert 0 <= model.prior_of_unlabeled_ <= 1
    with pytest.raises(ValueError, match="at least one of each must be held out"):
        model.fit(X[:19], y[:19])


def test_a_network_whose_scores_grow_beyond_all_bounds_is_told():
    X, y, _ = make_toy("blobs", n_rows=60, n_labeled=20, random_state=0)
    model = TEDnClassifier(learning_rate=1e30, max_epochs=3, warm_up_epochs=3, random_state=0)
    with pytest.raises(ValueError, match=r"Scores are infinite.*Choose a smaller one"):
        model.fit(X, y)
