"""One-class LPS: one state, labeled rows only."""

import numpy as np
import pytest
import torch

from pulps.baselines import OneClassLPS
from pulps.baselines.others.one_class_lps import one_class_loss


def test_the_one_class_loss_equals_the_hand_value():
    norms, shown = torch.tensor([[0.5, 1.5], [1.0, 9.0]]), torch.tensor([[1.0, 1.0], [1.0, 0.0]])
    loss = one_class_loss(norms, torch.tensor([2.0, -3.0]), shown, 0.25)
    assert loss.tolist() == pytest.approx([(0 + 4) / 2 + 0.25 * 4, 1.0])


def test_one_class_scores_are_densities_and_know_nothing_of_unlabeled_answers():
    rng = np.random.RandomState(0)
    X = rng.uniform(size=(200, 2))
    X[:80] = 0.3 + 0.1 * rng.uniform(size=(80, 2))
    X[80:84] = [[0, 0], [0, 1], [1, 0], [1, 1]]  # the domain is the unit square
    y = np.repeat([1, 0], [80, 120])
    model = OneClassLPS(max_epochs=30, n_members=2, random_state=0).fit(X, y)
    steps = (np.arange(40) + 0.5) / 40
    grid = np.stack(np.meshgrid(steps, steps), axis=-1).reshape(-1, 2)
    assert np.exp(model.score_samples(grid)).mean() == pytest.approx(1, abs=0.02)
    fresh = 0.3 + 0.1 * rng.uniform(size=(400, 2))
    assert (model.predict(fresh) == 1).mean() == pytest.approx(0.95, abs=0.06)
    assert (model.predict(X[84:]) == 0).mean() > 0.8
    others = X.copy()
    others[100:] = rng.uniform(size=(100, 2))
    again = OneClassLPS(max_epochs=30, n_members=2, random_state=0).fit(others, y)
    np.testing.assert_allclose(again.score_samples(grid), model.score_samples(grid))
