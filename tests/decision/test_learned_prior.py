"""The prior follows what members say of held-out labels, at a few moments of training."""

import numpy as np
import pytest
import torch

from pulps.decision.held_out import hide_parts
from pulps.decision.learned_prior import (
    LearnedPrior,
    common_scale,
    every_kind_of_row,
    honest_evidence,
)

N, N_LABELED, N_MEMBERS = 1200, 200, 4
LABELED = np.arange(N) < N_LABELED
POSITIVE = np.arange(N) < 300  # 100 positives among 1000 unlabeled rows
SPIES = hide_parts(LABELED, N_MEMBERS, 4, np.random.RandomState(0))
CORES = [torch.zeros(2 * N_MEMBERS, 1, 1, 1, 1)]


def ratios(cores):
    return np.random.RandomState(0).normal(np.where(POSITIVE, 4.0, -4.0), 1, (N_MEMBERS, N))


def learner(log_ratios=ratios):
    return LearnedPrior(log_ratios, LABELED, SPIES, n_epochs=100)


def test_it_starts_at_one_half_and_learns_at_its_moments():
    prior = learner()
    assert [prior(done, CORES) for done in range(25)] == [0.5] * 25
    learned = prior(25, CORES)
    assert learned == pytest.approx(0.1, abs=0.03)
    assert prior(26, CORES) == learned


@pytest.mark.parametrize(
    ("n_positive", "expected"), [(600, "low"), (750, "low"), (900, 0.5), (1100, "prior")]
)
def test_below_one_half_the_lower_end_is_taken_above_only_a_large_prior(n_positive, expected):
    def some(cores):
        means = np.where(np.arange(N) < n_positive, 4.0, -4.0)
        return np.random.RandomState(0).normal(means, 1, (N_MEMBERS, N))

    scores, _ = common_scale(some(CORES), LABELED)
    prior, (low, _) = honest_evidence(scores, LABELED, SPIES).prior()
    assert prior == pytest.approx((n_positive - N_LABELED) / 1000, abs=0.03)
    values = {"low": low, "prior": prior, 0.5: 0.5}
    assert learner(some)(25, CORES) == values[expected]
    assert len({*values.values()}) == 3


def test_members_that_train_again_alone_use_what_was_learned():
    prior = learner()
    learned = prior(50, CORES)
    assert prior(25, [core[:2] for core in CORES]) == learned != 0.5


def test_members_that_diverged_are_not_asked():
    def broken(cores):
        return np.where(np.arange(N_MEMBERS)[:, None] == 0, np.nan, ratios(cores))

    assert learner(broken)(25, CORES) == pytest.approx(0.1, abs=0.03)
    assert learner(lambda cores: np.full((N_MEMBERS, N), np.nan))(25, CORES) == 0.5


def test_scores_are_in_units_of_their_size_on_unlabeled_rows():
    values = np.array([[100.0, 2.0, -4.0], [1.0, 0.0, 0.0]])
    scores, sizes = common_scale(values, np.array([True, False, False]))
    np.testing.assert_allclose(sizes, [3, 1])
    np.testing.assert_allclose(scores[0, 1:], [2 / 3, -4 / 3])
    _, sizes = common_scale(values, np.array([True, False, False]), np.array([1, 3, 1]))
    np.testing.assert_allclose(sizes, [2.5, 1])


def test_rare_labels_are_all_asked():
    labeled = np.zeros(50_000, dtype=bool)
    labeled[::5000] = True
    rows = every_kind_of_row(labeled)
    assert labeled[rows].sum() == 10
    assert 3000 < len(rows) < 6000
