"""A cut lies between scores, with nearly the share above that was asked for."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pulps.decision.cuts import cut_leaving


@given(
    st.lists(st.integers(-5, 5), min_size=1, max_size=30),
    st.floats(0, 1),
    st.integers(0, 100),
)
def test_no_other_cut_comes_nearer_and_rows_keep_their_distance(scores, share, seed):
    scores = np.array(scores, dtype=float)
    weights = np.random.RandomState(seed).uniform(0.5, 2, len(scores))
    cut = cut_leaving(scores, share, weights)
    missed = abs(np.average(scores > cut, weights=weights) - share)
    others = [np.average(scores > other, weights=weights) for other in np.arange(-6, 6)]
    assert missed <= min(abs(other - share) for other in others) + 1e-12
    if scores.min() < cut < scores.max():
        assert np.abs(scores - cut).min() >= 0.5
