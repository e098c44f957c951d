"""From honest scores to prior, cut, told scores and probability."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import f1_score

from pulps.decision.held_out import HeldOut
from pulps.decision.honest import CLOSE, HonestScores, decide_honestly


def draw(share=0.3, apart=3.0, n_labeled=200, n_unlabeled=1000, seed=0):
    rng = np.random.RandomState(seed)
    positive = np.r_[np.ones(n_labeled, bool), rng.uniform(size=n_unlabeled) < share]
    return rng.normal(apart * positive, 1), np.arange(len(positive)) < n_labeled, positive


def test_what_is_told_is_true_where_classes_are_apart():
    scores, labeled, positive = draw(apart=5)
    decision = decide_honestly(scores, labeled, random_state=0)
    report, hidden = decision.report, positive[~labeled]
    called = scores[~labeled] > report.threshold
    assert report.prior_of_unlabeled == pytest.approx(hidden.mean(), abs=0.03)
    assert report.share == pytest.approx(called.mean())
    assert report.precision == pytest.approx(hidden[called].mean(), abs=0.1)
    assert report.recall == pytest.approx(called[hidden].mean(), abs=0.05)
    for name in ("precision", "recall", "f1_pos", "f1_neg", "accuracy"):
        low, high = getattr(report, f"{name}_interval")
        assert 0 <= low <= getattr(report, name) <= high <= 1
    assert decision.prior == pytest.approx(positive.mean(), abs=0.03)


@pytest.mark.parametrize("prior", [0.05, 0.4])
def test_a_prior_that_is_given_decides_how_many_are_called_positive(prior):
    scores, labeled, _ = draw()
    report = decide_honestly(scores, labeled, known_prior=prior, random_state=0).report
    n_positive = labeled.sum() + prior * (~labeled).sum()
    assert (scores > report.threshold).sum() == pytest.approx(n_positive, abs=1)
    assert report.prior_of_unlabeled == prior
    assert report.prior_interval == (prior, prior)


def test_case_control_cuts_the_unlabeled_rows_alone():
    scores, labeled, _ = draw()
    report = decide_honestly(
        scores, labeled, known_prior=0.2, single_training_set=False, random_state=0
    ).report
    assert (scores[~labeled] > report.threshold).mean() == pytest.approx(0.2, abs=0.002)


@given(st.integers(0, 30))
def test_shares_that_differ_are_never_told_silently(seed):
    scores, labeled, _ = draw(share=0.3, apart=0.7, n_labeled=30, n_unlabeled=200, seed=seed)
    report = decide_honestly(scores, labeled, random_state=0).report
    differs = abs(report.share - report.prior_of_unlabeled) > CLOSE
    assert differs == ("are called positive where" in report.reason)


def test_a_row_that_weighs_two_is_two_rows():
    scores, labeled, _ = draw(n_labeled=40, n_unlabeled=150)
    weights = np.random.RandomState(1).randint(1, 4, len(scores))
    copies = np.repeat(np.arange(len(scores)), weights)
    once = decide_honestly(scores, labeled, weights.astype(float), random_state=0)
    often = decide_honestly(scores[copies], labeled[copies], random_state=0)
    assert once.report.threshold == pytest.approx(often.report.threshold)
    assert once.report.precision == pytest.approx(often.report.precision)
    assert once.prior == pytest.approx(often.prior)
    assert once.slope == pytest.approx(often.slope, rel=1e-3)


def test_rare_positives_are_not_told_to_be_none():
    scores, labeled, _ = draw(share=0.004, apart=6, n_labeled=30, n_unlabeled=5000)
    report = decide_honestly(scores, labeled, random_state=0).report
    assert 0 < report.prior_of_unlabeled < 0.01
    assert report.told_prior.startswith(f"{report.prior_of_unlabeled:.1%} (between")


def test_only_an_upper_bound_is_told_where_the_data_do_not_tell_more():
    scores, labeled, _ = draw(apart=0.3, n_labeled=20, n_unlabeled=100)
    assert "at most" in str(decide_honestly(scores, labeled, random_state=0).report)
    scores, labeled, _ = draw(apart=6)
    assert "at most" not in str(decide_honestly(scores, labeled, random_state=0).report)


def at(honest, **wanted):
    names = {"value": None, "share": None, "precision": None, "recall": None} | wanted
    return honest.at(prior=0.3, interval=(0.2, 0.4), **names)


def test_another_cut_has_what_was_asked_for():
    scores, labeled, _ = draw()
    honest = decide_honestly(scores, labeled, random_state=0).honest
    assert at(honest, value=0.5).threshold == 0.5
    assert at(honest, share=0.1).share == pytest.approx(0.1, abs=0.002)
    assert at(honest, recall=0.9).recall >= 0.9
    assert at(honest, recall=1.0).recall == 1
    assert at(honest, precision=0.8).precision >= 0.8
    assert at(honest, precision=0.8).recall > at(honest, precision=0.95).recall
    with pytest.raises(ValueError, match="named in one way"):
        at(honest, share=0.1, recall=0.5)
    with pytest.raises(ValueError, match="lies between 0 and 1"):
        at(honest, share=1.5)


def test_a_precision_out_of_reach_is_refused():
    scores, labeled, _ = draw(apart=0.0)
    honest = decide_honestly(scores, labeled, random_state=0).honest
    with pytest.raises(ValueError, match="the largest is"):
        honest.at(
            value=None, share=None, precision=0.9999, recall=None, prior=0.01, interval=(0.0, 0.1)
        )


@pytest.mark.parametrize("seed", range(5))
def test_rare_positives_of_which_half_look_like_negatives(seed):
    """One percent of 10,000 rows, half of the labels shown: what is told stays in proportion."""
    rng = np.random.RandomState(seed)
    positive = np.arange(10_000) < 100
    typical = positive & (np.arange(10_000) % 2 == 0)
    scores = rng.normal(0, 1, 10_000) + 5 * typical
    labeled = positive & (rng.uniform(size=10_000) < 0.5)
    found = decide_honestly(scores, labeled, random_state=0).report
    called = scores[~labeled] > found.threshold
    assert found.prior_of_unlabeled < 0.02
    assert called.mean() < 0.01
    assert f1_score(positive[~labeled], called) > 0.5


def test_memory_for_a_cut_grows_with_the_rows_and_not_with_their_square():
    def peak(n_rows):
        scores, labeled, _ = draw(n_labeled=n_rows, n_unlabeled=n_rows)
        honest = HonestScores(
            scores[labeled], scores[~labeled], n_rows, n_rows, np.ones(1), 0.3, (0.2, 0.4)
        )
        tracemalloc.start()
        honest.best_f1(0.3)
        told = {"value": None, "share": None, "recall": None}
        honest.at(precision=0.5, prior=0.3, interval=(0.2, 0.4), **told)
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    assert peak(4000) < 6 * peak(1000)


def test_recall_of_many_cuts_is_the_share_of_labeled_rows_above_each():
    rng = np.random.RandomState(0)
    scores = rng.normal(size=300).round(1)
    for weights in (None, rng.uniform(0.1, 3, 300)):
        hidden = None if weights is None else weights[None]
        held_out = HeldOut(scores[None], np.zeros((1, 5)), hidden, weights)
        cuts = np.unique(np.r_[scores, -9, 9, scores + 0.05])
        above = (scores[:, None] > cuts).astype(float)
        wanted = np.average(above, axis=0, weights=weights)
        np.testing.assert_allclose(held_out.recall(cuts), wanted, atol=1e-12)


def test_many_members_are_compared_with_some_cuts_at_a_time(monkeypatch):
    rng = np.random.RandomState(1)
    labeled = np.where(rng.rand(3, 50) < 0.5, np.nan, rng.normal(size=(3, 50)))
    held_out = HeldOut(labeled, rng.normal(size=(3, 200)))
    cuts = held_out.cuts()
    wanted = held_out.recall(cuts)
    monkeypatch.setattr("pulps.decision.held_out.CELLS_AT_ONCE", 100)
    np.testing.assert_array_equal(held_out.recall(cuts), wanted)


def test_the_interval_of_precision_reaches_down_to_the_least_share_of_positives():
    scores, labeled, _ = draw(apart=1.0, n_labeled=30, n_unlabeled=400)
    honest = decide_honestly(scores, labeled, random_state=0).honest
    report = honest.at(
        value=1.0, share=None, precision=None, recall=None, prior=0.3, interval=(0.01, 0.5)
    )
    found = 0.01 * report.recall / report.share
    assert report.precision_interval[0] <= found < report.precision / 5
