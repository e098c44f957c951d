"""Spies: the threshold they set, and the negatives they find."""

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from pulps.baselines import SpyClassifier
from pulps.baselines.trees.spies import draw_spies, spy_threshold
from pulps.datasets import make_toy


def test_the_spy_threshold_lets_the_noise_share_fall_below():
    scores = np.random.RandomState(0).permutation(np.arange(100.0))
    for noise in (0, 0.05, 0.15):
        assert (scores < spy_threshold(scores, noise)).mean() == pytest.approx(noise)


@pytest.mark.parametrize("n_labeled", [2, 5])
def test_some_labeled_rows_are_no_spies(n_labeled):
    spies = draw_spies(np.arange(9) < n_labeled, 0.95, np.random.RandomState(0))
    assert spies.sum() == n_labeled - 1


def test_spies_find_negatives_that_are_negative():
    X, y, y_true = make_toy("blobs", random_state=0)
    model = SpyClassifier(GaussianNB(), random_state=0).fit(X, y)
    assert model.reliable_negatives_.sum() > 300
    # a row below the lowest of 15 spies is positive now and then; 44 % of all unlabeled are
    assert y_true[model.reliable_negatives_].mean() < 0.05
