"""The prior follows what members say of held-out labels, at a few moments of training."""

import numpy as np
import pytest
import torch

from pulps.decision.held_out import hide_parts
from pulps.decision.learned_prior import (
    LearnedPrior,
    common_scale,
    every_kind_of_row,
    held_out_scores,
)

N, N_LABELED, N_MEMBERS = 1200, 200, 4
LABELED = np.arange(N) < N_LABELED
POSITIVE = np.arange(N) < 300  # 100 positives among 1000 unlabeled rows
HIDDEN = hide_parts(LABELED, N_MEMBERS, 4, np.random.RandomState(0))


def ratios():
    return np.random.RandomState(0).normal(np.where(POSITIVE, 4.0, -4.0), 1, (N_MEMBERS, N))


def learner():
    return LearnedPrior(None, LABELED, HIDDEN, n_epochs=100)


def learned(log_ratios):
    prior = learner()
    prior.learn(log_ratios)
    return prior.value


def test_it_starts_at_one_half_and_learns_at_its_moments(monkeypatch):
    prior, asked = learner(), []

    def log_norms(cores, rows):
        asked.append(cores)
        return torch.as_tensor(np.concatenate([ratios(), np.zeros((N_MEMBERS, N))]))

    monkeypatch.setattr("pulps.network.engine.log_norms", log_norms)
    for done in range(25):
        prior.update(done, [])
    assert (prior.value, asked) == (0.5, [])
    prior.update(25, ["cores"])
    assert asked == [["cores"]]
    assert prior.value == pytest.approx(0.1, abs=0.03) == learned(ratios())
    prior.update(26, [])
    assert len(asked) == 1


@pytest.mark.parametrize(
    ("n_positive", "expected"), [(600, "low"), (750, "low"), (900, 0.5), (1100, "prior")]
)
def test_below_one_half_the_lower_end_is_taken_above_only_a_large_prior(n_positive, expected):
    means = np.where(np.arange(N) < n_positive, 4.0, -4.0)
    some = np.random.RandomState(0).normal(means, 1, (N_MEMBERS, N))
    scores, _ = common_scale(some, LABELED)
    prior, (low, _) = held_out_scores(scores, LABELED, HIDDEN).prior()
    assert prior == pytest.approx((n_positive - N_LABELED) / 1000, abs=0.03)
    values = {"low": low, "prior": prior, 0.5: 0.5}
    assert learned(some) == values[expected]
    assert len({*values.values()}) == 3


def test_members_that_diverged_are_not_asked():
    broken = np.where(np.arange(N_MEMBERS)[:, None] == 0, np.nan, ratios())
    assert learned(broken) == pytest.approx(0.1, abs=0.03)
    assert learned(np.full((N_MEMBERS, N), np.nan)) == 0.5


def test_a_row_of_weight_two_counts_as_two_rows():
    times = 1 + np.arange(N) % 3
    twice = np.repeat(np.arange(N), times)
    weighted = LearnedPrior(None, LABELED, HIDDEN * times, 100, times.astype(float))
    weighted.learn(ratios())
    repeated = LearnedPrior(None, LABELED[twice], HIDDEN[:, twice], 100)
    repeated.learn(ratios()[:, twice])
    plain = learned(ratios())
    assert weighted.value == pytest.approx(repeated.value, abs=0.003)
    assert weighted.value != plain


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
