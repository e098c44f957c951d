"""Statistics agree with worked examples and refuse what they cannot rank."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as ss

from pulps.benchmark.stats import (
    average_ranks,
    critical_difference,
    friedman,
    holm,
    nemenyi,
    spearman,
    wilcoxon_holm,
    wins,
)

SCORES = pd.DataFrame(
    np.random.default_rng(0).random((12, 4)) + np.array([0.0, 0.1, 0.4, 0.8]), columns=list("abcd")
)


def test_friedman_and_nemenyi_see_the_same_difference():
    assert friedman(SCORES).p_value < 0.01
    p_values = nemenyi(SCORES)
    ranks = average_ranks(SCORES)
    distance = abs(ranks.to_numpy()[:, None] - ranks.to_numpy()[None])
    np.testing.assert_array_equal(p_values < 0.05, distance > critical_difference(4, 12))


def test_wilcoxon_has_every_pair_and_holm_only_raises():
    table = wilcoxon_holm(SCORES)
    assert len(table) == 6
    assert (table.p_holm >= table.p_value).all()
    row = table.set_index(["first", "second"]).loc[("a", "d")]
    assert row.difference < 0
    assert row.p_holm < 0.05


def test_methods_that_never_differ_have_p_one():
    table = wilcoxon_holm(pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": [1.0, 2.0, 3.0]}))
    assert table.p_holm.tolist() == [1.0]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_holm_keeps_the_order_and_stays_a_probability(p):
    corrected = holm(p)
    assert ((corrected >= np.asarray(p)) & (corrected <= 1)).all()
    order = np.argsort(p, kind="stable")
    assert (np.diff(corrected[order]) >= 0).all()


def test_spearman_leaves_out_what_is_missing():
    agreement = [0.9, 0.8, None, 0.7, 0.95]
    score = [0.8, 0.7, 0.9, 0.6, 0.85]
    result = spearman(agreement, score)
    assert result.n == 4
    assert result.rho == pytest.approx(1)
    assert np.isnan(spearman([1, 1, 1], [1, 2, 3]).rho)


def test_ranks_of_incomplete_tables_are_refused():
    holes = SCORES.mask(SCORES == SCORES.iloc[0, 0])
    for statistic in (average_ranks, wins, friedman, nemenyi, wilcoxon_holm):
        with pytest.raises(ValueError, match="a has missing scores"):
            statistic(holes)
    with pytest.raises(ValueError, match="3 methods"):
        friedman(SCORES[["a", "b"]])


def test_friedman_is_that_of_scipy():
    assert friedman(SCORES)[:2] == pytest.approx(ss.friedmanchisquare(*SCORES.to_numpy().T))
