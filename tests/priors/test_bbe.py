"""Best bin estimation: by hand, by a loop, and its upper bound."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from populations import draw_scores

from pulps.priors import bbe
from pulps.priors.bbe import best_cut

NINE = np.arange(1, 10) / 10


def test_best_bin_by_hand():
    labeled, unlabeled = [5.0, 4.0, 3.0, 0.0], [4.5, 3.5, 2.0, 1.0, 1.0, 1.0, 1.0, 1.0]
    found = bbe(labeled, unlabeled)
    # Shares above 0, 3, 4, 5: labeled 1, 3/4, 2/4, 1/4; unlabeled 1, 2/8, 1/8, 0.
    reach = np.sqrt(np.log(40) / 16) + np.sqrt(np.log(40) / 8)
    worst = [1 + 1.01 * reach, (1 / 4 + 1.01 * reach) / (3 / 4)]
    assert worst[1] < worst[0]
    assert found.diagnostics["cut"] == 3
    assert found.prior_of_unlabeled == pytest.approx(1 / 3)
    np.testing.assert_allclose(found.diagnostics["ratios"], [1, 1 / 3, 1 / 4, 0])


@given(st.integers(0, 10_000))
def test_best_bin_equals_a_loop_over_cuts(seed):
    rng = np.random.default_rng(seed)
    labeled, unlabeled = rng.integers(0, 9, 12) + 3.0, rng.integers(0, 9, 30) * 1.0
    reach = np.sqrt(np.log(40) / 24) + np.sqrt(np.log(40) / 60)
    worst = {}
    for cut in labeled:
        above = np.mean(labeled >= cut)
        ratio = np.mean(unlabeled >= cut) / above
        worst[ratio + 1.01 * reach / above] = ratio
    assert bbe(labeled, unlabeled).prior_of_unlabeled == pytest.approx(
        min(1, worst[min(worst)]), abs=1e-12
    )


@pytest.mark.parametrize("distance", [0.5, 1.5, 3.0])
def test_the_upper_bound_of_bbe_holds_with_or_without_a_pure_bin(distance):
    bounds = [
        bbe(
            *draw_scores(prior, distance, n_labeled=100, n_unlabeled=300, seed=seed)[:2]
        ).diagnostics["upper_bound"]
        - prior
        for prior in NINE
        for seed in range(3)
    ]
    assert np.mean(np.array(bounds) >= 0) >= 0.9


def test_a_cut_without_labeled_rows_above_is_never_the_best():
    labeled, unlabeled = np.array([[1.0, 0.5, 0.0], [1.0, 0.0, 0.0]]), np.array([1.0, 0.1, 0.0])
    assert best_cut(labeled, unlabeled, 10**6, 10**6).tolist() == [1, 0]


def test_few_rows_make_the_best_cut_keep_more_of_them():
    labeled, unlabeled = np.array([0.9, 0.1]), np.array([0.5, 0.04])
    assert best_cut(labeled, unlabeled, 10**6, 10**6) == 1
    assert best_cut(labeled, unlabeled, 50, 50) == 0
