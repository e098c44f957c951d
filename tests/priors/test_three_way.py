"""Three estimates of the prior on resampled scores: right where classes are apart, never wild."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pulps.priors.bbe import bbe, bbe_share
from pulps.priors.dedpul import dedpul, dedpul_share
from pulps.priors.three_way import mixture_share, three_shares, three_way


def scores(share, apart, n_labeled=300, n_unlabeled=1500, seed=0):
    rng = np.random.RandomState(seed)
    positive = rng.uniform(size=n_unlabeled) < share
    return rng.normal(apart, 1, n_labeled), rng.normal(apart * positive, 1)


@pytest.mark.parametrize(
    ("share", "largest"), [(0.02, 0.01), (0.1, 0.02), (0.5, 0.04), (0.9, 0.09)]
)
def test_classes_apart_give_the_share(share, largest):
    labeled, unlabeled = scores(share, 6)
    found = three_way(labeled, unlabeled, random_state=0)
    assert found.prior_of_unlabeled == pytest.approx(share, abs=largest)
    low, high = found.interval
    assert low <= share <= high


def test_the_more_classes_overlap_the_wider_the_interval():
    widths = []
    for apart in (6, 2, 0.5):
        low, high = three_way(*scores(0.3, apart), random_state=0).interval
        assert low <= 0.3 <= high
        widths.append(high - low)
    assert widths[0] < widths[1] < widths[2]


def test_single_estimates_are_those_of_their_methods():
    labeled, unlabeled = scores(0.4, 2)
    found = three_shares(labeled, unlabeled)
    assert found[0] == bbe_share(labeled, unlabeled) == bbe(labeled, unlabeled).prior_of_unlabeled
    quick = dedpul(labeled, unlabeled, n_resamples=2, random_state=0).prior_of_unlabeled
    assert found[1] == dedpul_share(labeled, unlabeled) == quick
    assert found[2] == mixture_share(labeled, unlabeled)


@given(st.integers(0, 50), st.floats(0.1, 10), st.floats(-5, 5))
def test_the_mixture_does_not_depend_on_origin_and_unit(seed, unit, origin):
    labeled, unlabeled = scores(0.4, 2.5, 50, 200, seed)
    moved = mixture_share(unit * labeled + origin, unit * unlabeled + origin)
    assert moved == pytest.approx(mixture_share(labeled, unlabeled), abs=1e-4)


@given(
    st.lists(st.integers(-3, 3), min_size=2, max_size=12),
    st.lists(st.integers(-3, 3), min_size=2, max_size=12),
)
def test_any_scores_give_a_share(labeled, unlabeled):
    found = three_way(labeled, unlabeled, n_resamples=3, random_state=0)
    low, high = found.interval
    assert 0 <= low <= found.prior_of_unlabeled <= high <= 1
    assert 0 <= found.diagnostics["pull"] < 1


def test_the_interval_holds_a_small_share_where_negatives_look_like_positives():
    """One negative in ten is scored as positives are, so every estimate is far too large."""
    held = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        labeled, found = rng.normal(1, 1, 25), rng.normal(1, 1, 36)
        negatives = np.r_[rng.normal(-0.4, 1, 1044), rng.normal(1, 1, 120)]
        low, high = three_way(
            labeled, np.r_[found, negatives], n_resamples=10, random_state=seed
        ).interval
        held += low <= 0.03 <= high
    assert held >= 15
