"""Honest scores, the prior they tell, where to cut, and what a probability means."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit
from sklearn.metrics import accuracy_score, f1_score, precision_score

from pulps.decision.calibration import fit_slope
from pulps.decision.held_out import HeldOut, hide_parts
from pulps.decision.threshold import RULES, choose_threshold, estimated_scores


def sample(prior, *, n_labeled=400, n_unlabeled=4000, apart=4.0, shift=0.0, seed=0):
    """Scores of Gaussian classes whose best cut is near ``shift``; labels were held out."""
    rng = np.random.RandomState(seed)
    positive = rng.uniform(size=n_unlabeled) < prior
    unlabeled = rng.normal(np.where(positive, apart / 2, -apart / 2) + shift, 1)
    labeled = rng.normal(apart / 2 + shift, 1, n_labeled)
    return HeldOut(labeled[None], unlabeled[None]), positive


@given(st.integers(2, 6), st.integers(1, 9), st.integers(6, 40), st.integers(0, 5))
def test_each_deal_hides_every_labeled_row_once(n_parts, n_members, n_labeled, seed):
    labeled = np.random.RandomState(seed).permutation(np.arange(50) < n_labeled)
    spies = hide_parts(labeled, n_members, n_parts, np.random.RandomState(seed))
    assert not spies[:, ~labeled].any()
    for first in range(0, n_members - n_parts + 1, n_parts):
        assert (spies[first : first + n_parts, labeled].sum(axis=0) == 1).all()


def test_curves_are_the_shares_above_the_cut():
    labeled = np.array([[1.0, np.nan, 3.0], [np.nan, np.nan, 1.0]])
    held_out = HeldOut(labeled, np.array([[0.0, 1.0, 2.0, 3.0]] * 2))
    cuts = np.array([-1.0, 1.0, 2.5])
    assert held_out.n_labeled == 2  # the second row was shown to both members
    np.testing.assert_allclose(held_out.found(cuts), [[1, 0, 0], [1, 0.5, 0.5]])
    np.testing.assert_allclose(held_out.recall(cuts), [1, 0.25, 0.25])
    np.testing.assert_allclose(held_out.share(cuts), [1, 0.5, 0.25])


@pytest.mark.parametrize("prior", [0.1, 0.3, 0.5, 0.7, 0.9])
@pytest.mark.parametrize("apart", [3.0, 6.0])
def test_the_prior_of_unlabeled_rows_is_found(prior, apart):
    held_out, positive = sample(prior, apart=apart, n_labeled=1000)
    estimate, (low, high) = held_out.prior()
    assert abs(estimate - positive.mean()) < 0.06
    assert low <= estimate <= high


def test_the_less_is_known_the_nearer_to_one_half_the_prior_is():
    few, many = (
        sample(0.5, apart=0.0, n_labeled=n, n_unlabeled=10 * n)[0].prior()[0] for n in (10, 1000)
    )
    assert 0.5 < few < 0.8 < many


@given(st.integers(0, 100))
def test_estimated_scores_are_exact_if_recall_and_prior_are(seed):
    rng = np.random.RandomState(seed)
    truth = rng.randint(2, size=60)
    truth[:2] = 0, 1
    predicted = rng.randint(2, size=60)
    recall = predicted[truth == 1].mean()
    scores = estimated_scores(
        np.array([recall]), np.array([predicted.mean()]), truth.mean(), 7, 60
    )
    # seven labeled rows, found and missed at the rate of the other positives
    all_truth = np.append(truth, [1, 1])
    both = np.append(predicted, [1, 0])
    weight = np.append(np.ones(60), [7 * recall, 7 * (1 - recall)])
    expected = {
        "precision": precision_score(all_truth, both, sample_weight=weight, zero_division=0),
        "f1_pos": f1_score(all_truth, both, sample_weight=weight, zero_division=0),
        "f1_neg": f1_score(all_truth, both, sample_weight=weight, pos_label=0, zero_division=0),
        "accuracy": accuracy_score(all_truth, both, sample_weight=weight),
    }
    for name, value in expected.items():
        assert scores[name][0] == pytest.approx(value), name


def test_the_paper_cuts_at_zero():
    assert choose_threshold(sample(0.2, shift=3)[0], "balance").threshold == 0


@pytest.mark.parametrize("prior", [None, 0.25])
def test_the_prior_rule_calls_as_many_positive_as_there_are(prior):
    held_out, _ = sample(0.25)
    report = choose_threshold(held_out, "prior", prior=prior)
    above = (held_out.unlabeled > report.threshold).mean()
    assert above == pytest.approx(report.prior_of_unlabeled, abs=0.001)
    assert (report.prior_interval == (0.25, 0.25)) == (prior is not None)


@pytest.mark.parametrize("rule", ["auto", "pu-f1"])
@pytest.mark.parametrize("shift", [-3.0, 0.0, 3.0])
def test_with_many_labels_the_cut_moves_to_where_the_classes_part(rule, shift):
    held_out, positive = sample(0.3, shift=shift)
    report = choose_threshold(held_out, rule)
    predicted = held_out.unlabeled[0] > report.threshold
    best = max(f1_score(positive, held_out.unlabeled[0] > cut) for cut in held_out.cuts())
    assert f1_score(positive, predicted) > best - 0.02
    assert report.f1_pos == pytest.approx(f1_score(positive, predicted), abs=0.06)


def test_auto_stays_at_zero_if_labels_are_few_and_says_so():
    report = choose_threshold(sample(0.5, n_labeled=39, shift=2)[0])
    assert report.threshold == 0
    assert "39 held-out labels are too few" in report.reason
    assert choose_threshold(sample(0.5, n_labeled=90, shift=2)[0]).threshold > 0


def test_auto_stays_at_zero_if_the_gain_is_within_the_noise():
    held_out, _ = sample(0.5, n_labeled=45, n_unlabeled=60, shift=0.0, apart=1.0)
    report = choose_threshold(held_out)
    assert report.threshold == 0
    assert "beyond the noise" in report.reason


def test_with_few_labels_auto_stays_near_zero():
    few, many = (
        choose_threshold(sample(0.5, n_labeled=n, shift=1.5)[0]).threshold for n in (60, 600)
    )
    assert 0 < few <= 0.5 < many


def test_lee_liu_is_the_best_over_all_cuts():
    held_out, _ = sample(0.3, shift=1.0)
    report = choose_threshold(held_out, "lee-liu", single_training_set=False)

    def score(cut):
        share = (held_out.unlabeled > cut).mean()
        return (held_out.labeled > cut).mean() ** 2 / share if share else 0.0

    assert score(report.threshold) == pytest.approx(max(map(score, held_out.cuts())))


@pytest.mark.parametrize("rule", RULES)
def test_without_held_out_labels_the_norms_decide(rule):
    held_out = HeldOut(np.full((1, 5), np.nan), np.linspace(-1, 1, 11)[None])
    report = choose_threshold(held_out, rule)
    assert report.threshold == 0
    assert np.isnan(report.f1_pos)
    assert report.prior_interval == (0, 1)


def test_without_held_out_labels_a_given_prior_can_still_cut():
    held_out = HeldOut(np.full((1, 5), np.nan), np.linspace(0, 1, 11)[None])
    assert choose_threshold(held_out, "prior", prior=0.2).threshold == pytest.approx(0.8)


@pytest.mark.parametrize("single_training_set", [True, False])
def test_what_is_told_is_about_the_unlabeled_rows(single_training_set):
    held_out, positive = sample(0.3)
    report = choose_threshold(
        held_out, "balance", prior=0.3, single_training_set=single_training_set
    )
    predicted = held_out.unlabeled[0] > 0
    assert report.precision == pytest.approx(precision_score(positive, predicted), abs=0.03)
    assert report.accuracy == pytest.approx(accuracy_score(positive, predicted), abs=0.03)


def test_the_report_reads_like_a_report():
    text = str(choose_threshold(sample(0.3)[0]))
    assert "positives among unlabeled rows: 3" in text
    assert "from 400 labeled rows" in text


@pytest.mark.parametrize("slope", [0.5, 2.0, 8.0])
@pytest.mark.parametrize("single", [True, False])
def test_the_slope_that_made_the_labels_is_found(slope, single):
    rng = np.random.RandomState(1)
    score = rng.normal(0, 1, 60_000)
    positive = rng.uniform(size=len(score)) < expit(slope * (score - 0.3))
    if single:
        shown = positive & (rng.uniform(size=len(score)) < 0.4)
        labeled, unlabeled, prior = score[shown], score[~shown], positive[~shown].mean()
    else:
        labeled, unlabeled, prior = score[positive][:5000], score, positive.mean()
    held_out = HeldOut(labeled[None], unlabeled[None])
    found = fit_slope(held_out, 0.3, prior, single_training_set=single)
    assert found == pytest.approx(slope, rel=0.15)


@pytest.mark.parametrize("single", [True, False])
def test_a_slope_is_found_where_no_unlabeled_row_is_thought_positive(single):
    scores = np.random.default_rng(0).normal(size=(1, 200))
    slope = fit_slope(
        HeldOut(scores[:, :50] + 2, scores[:, 50:] - 2), 0.0, 0.0, single_training_set=single
    )
    assert np.isfinite(slope)
    assert slope > 0


def test_a_reason_never_compares_a_number_with_itself():
    from pulps.decision.threshold import _told_apart

    assert _told_apart(0.8213, 0.8187) == ("0.821", "0.819")
    assert _told_apart(0.9, 0.5) == ("0.90", "0.50")
