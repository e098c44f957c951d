"""The cut that is expected to be best: where it would be if the truth were known."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm
from sklearn.metrics import f1_score

from pulps.decision.expected_cut import best_share_above, say_of_labels
from pulps.decision.honest import decide_honestly

APART = 2.5


def drawn(prior, n_labeled, n_unlabeled, seed=0):
    rng = np.random.default_rng(seed)
    n_positive = round(prior * n_unlabeled)
    positives = rng.normal(APART, 1, n_labeled + n_positive)
    negatives = rng.normal(0, 1, n_unlabeled - n_positive)
    return positives[:n_labeled], np.r_[positives[n_labeled:], negatives]


def best_by_the_normals(prior, known):
    """Share above the best cut of two normals of which the means and shares are known."""
    cuts = np.linspace(-4, 8, 4001)
    recall, alarms = norm.sf(cuts - APART), norm.sf(cuts)
    n_positive, n_negative = prior + known, 1 - prior
    found, wrong = recall * n_positive, alarms * n_negative + (1 - recall) * n_positive
    right = (1 - alarms) * n_negative
    mean = 0.75 * 2 * found / (2 * found + wrong) + 0.25 * 2 * right / (2 * right + wrong)
    best = mean.argmax()
    return (found + alarms * n_negative)[best] / (1 + known)


@pytest.mark.parametrize("prior", [0.05, 0.3, 0.7])
@pytest.mark.parametrize("single_training_set", [True, False])
def test_it_is_the_best_cut_of_two_normals(prior, single_training_set):
    labeled, unlabeled = drawn(prior, 10_000, 40_000)
    found = best_share_above(
        labeled, unlabeled, 10_000, 40_000, prior, single_training_set=single_training_set
    )
    wanted = best_by_the_normals(prior, 0.25 if single_training_set else 0.0)
    assert found == pytest.approx(wanted, abs=0.015)


@given(st.integers(0, 99), st.sampled_from([0.1, 0.5]))
def test_it_depends_on_the_order_of_scores_only(seed, prior):
    labeled, unlabeled = drawn(prior, 60, 200, seed)
    known = best_share_above(labeled, unlabeled, 60, 200, prior)
    assert best_share_above(np.exp(labeled), np.exp(unlabeled), 60, 200, prior) == known
    twice = best_share_above(np.repeat(labeled, 2), np.repeat(unlabeled, 2), 60, 200, prior)
    assert twice == pytest.approx(known, abs=0.02)


@pytest.mark.parametrize("prior", [0.0, 1.0])
def test_equal_scores_have_all_rows_on_one_side(prior):
    share = best_share_above(np.ones(5), np.ones(9), 5, 9, prior)
    assert 0 <= share <= 1


def test_many_labels_have_the_say_and_few_have_none():
    says = [say_of_labels(n) for n in (0, 10, 100, 1000)]
    assert says == sorted(says)
    assert says[0] == 0
    assert says[1] < 1e-4
    assert says[-1] > 0.999


@pytest.mark.parametrize("prior", [0.1, 0.3, 0.6])
def test_with_many_labels_no_cut_is_much_better(prior):
    labeled, unlabeled = drawn(prior, 800, 3000, seed=1)
    truth = np.r_[np.ones(800, bool), np.arange(3000) < round(prior * 3000)]
    scores = np.r_[labeled, unlabeled]
    report = decide_honestly(scores, np.arange(3800) < 800, random_state=0).report
    assert "expected to be best" in report.reason
    best = max(f1_score(truth, scores > cut) for cut in np.linspace(-1, 4, 101))
    assert f1_score(truth, scores > report.threshold) > best - 0.01
