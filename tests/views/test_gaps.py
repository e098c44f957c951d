"""Gaps between groups of scores: found where they are, and only there."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pulps.decision.honest import decide_honestly
from pulps.views.gaps import DEEP, find_gaps


def groups(share, apart, n_rows=600, seed=0):
    rng = np.random.RandomState(seed)
    positive = rng.uniform(size=n_rows) < share
    labeled = positive & (rng.uniform(size=n_rows) < 0.3)
    return rng.normal(apart * positive, 1), labeled, positive


@pytest.mark.parametrize("share", [0.2, 0.5, 0.8])
def test_the_gap_between_two_groups_has_the_larger_one_below_or_above(share):
    scores, labeled, positive = groups(share, 8)
    gaps = find_gaps(scores, labeled, np.ones(len(scores)))
    deepest = gaps[gaps[:, 2].argmin()]
    assert deepest[0] == pytest.approx(1, abs=0.01)
    assert deepest[1] == pytest.approx(positive[~labeled].mean(), abs=0.01)


@given(st.integers(0, 40))
def test_one_group_has_no_gap_inside(seed):
    scores, labeled, _ = groups(0.5, 0.0, seed=seed)
    gaps = find_gaps(scores, labeled, np.ones(len(scores)))
    assert not ((gaps[:, 1] > 0.05) & (gaps[:, 1] < 0.95)).any()


def test_scores_that_are_all_equal_have_no_gap():
    assert len(find_gaps(np.ones(9), np.arange(9) < 3, np.ones(9))) == 0


def test_a_row_that_weighs_two_is_two_rows():
    scores, labeled, _ = groups(0.5, 5, n_rows=80)
    weights = np.random.RandomState(1).randint(1, 4, 80)
    copies = np.repeat(np.arange(80), weights)
    once = find_gaps(scores, labeled, weights.astype(float))
    often = find_gaps(scores[copies], labeled[copies], np.ones(len(copies)))
    np.testing.assert_allclose(once, often)
    assert (once[:, 2] < DEEP).all()


def test_a_gap_decides_the_cut_and_tells_the_share():
    scores, labeled, positive = groups(0.5, 8)
    gaps = find_gaps(scores, labeled, np.ones(len(scores)))
    decision = decide_honestly(scores, labeled, gaps=gaps, random_state=0)
    assert (scores > decision.report.threshold).mean() == pytest.approx(positive.mean(), abs=0.01)
    assert decision.prior == pytest.approx(positive.mean(), abs=0.02)
    assert "gap" in decision.report.reason
    given = decide_honestly(scores, labeled, gaps=gaps, known_prior=0.2, random_state=0)
    assert "gap" not in given.report.reason


def test_labeled_rows_that_are_kept_more_often_do_not_move_the_cut():
    """Of a large table views see all labeled rows and some of the others."""
    scores, labeled, positive = groups(0.5, 8, n_rows=2000)
    some = labeled | (np.arange(2000) % 4 == 0)
    gaps = find_gaps(scores[some], labeled[some], np.ones(some.sum()))
    report = decide_honestly(scores, labeled, gaps=gaps, random_state=0).report
    assert (scores > report.threshold).mean() == pytest.approx(positive.mean(), abs=0.02)


@pytest.mark.parametrize(("found", "cuts"), [(0.9, True), (0.3, False)])
def test_a_gap_that_loses_most_labeled_rows_does_not_decide(found, cuts):
    rng = np.random.RandomState(0)
    labeled = np.arange(600) < 100
    scores = rng.normal(1.5 * labeled, 1)
    gaps = np.array([[found, share, 0.1] for share in np.linspace(0, 1, 11)])
    report = decide_honestly(scores, labeled, gaps=gaps, random_state=0).report
    assert ("gap" in report.reason) == cuts
