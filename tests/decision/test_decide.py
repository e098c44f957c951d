"""What the classifier makes of held-out labels: prior, threshold, probability, warnings."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from pulps import LPSClassifier, hide_labels
from pulps.decision import AgreementWarning
from pulps.decision.decide import decide
from pulps.decision.held_out import hide_parts
from pulps.decision.selection import reasons_to_doubt


@pytest.fixture(scope="module")
def blobs():
    """Two clouds, one in four rows positive."""
    X, y_true = make_blobs([300, 100], centers=[[0, 0], [3, 3]], random_state=0)
    return X, hide_labels(y_true, n_labeled=40, random_state=0), y_true


def fit(blobs, **options):
    X, y, _ = blobs
    return LPSClassifier.from_parameters(
        **{"n_members": 4, "max_epochs": 60, "random_state": 0} | options
    ).fit(X, y)


@pytest.fixture(scope="module")
def fitted(blobs):
    return fit(blobs)


def test_members_are_compared_where_the_decision_is_cut():
    """Two members that differ below the threshold only agree on everything."""
    labeled = np.arange(100) < 40
    ratios = np.tile(np.where(np.arange(100) < 60, 2.0, -2.0), (2, 1))
    ratios[0, 60:80] = 0.1
    hidden = np.stack([labeled, labeled])
    told = {"size": None, "rule": "prior", "known_prior": 1 / 3, "single_training_set": True}
    decision = decide(ratios, labeled, hidden, **told)
    assert decision.report.threshold > 0.1
    assert decision.agreement == 1


def test_an_unbalanced_table_is_cut_where_its_classes_part(fitted, blobs):
    X, _, y_true = blobs
    assert (fitted.predict(X) == y_true).mean() > 0.95


def test_the_prior_is_estimated_for_both_populations(fitted, blobs):
    _, y, y_true = blobs
    report = fitted.threshold_report_
    assert report.prior_of_unlabeled == pytest.approx(y_true[y == 0].mean(), abs=0.1)
    assert fitted.prior_ == pytest.approx(y_true.mean(), abs=0.1)
    n_labeled, n = y.sum(), len(y)
    hidden = report.prior_of_unlabeled * (n - n_labeled)
    assert fitted.prior_ == pytest.approx((n_labeled + hidden) / n)


def test_in_case_control_the_unlabeled_rows_are_the_population(blobs):
    model = fit(blobs, scenario="case-control", max_epochs=5)
    assert model.prior_ == model.threshold_report_.prior_of_unlabeled


def test_the_decision_is_the_mean_of_scaled_log_ratios_above_the_threshold(fitted, blobs):
    """Written out by hand from the fitted attributes."""
    X, y, _ = blobs
    ratios = fitted.log_ratios(X)
    sizes = np.abs(ratios[:, y == 0]).mean(axis=1)
    np.testing.assert_allclose(fitted.member_scales_, sizes)
    by_hand = (ratios / sizes[:, None]).mean(axis=0) - fitted.threshold_report_.threshold
    np.testing.assert_allclose(fitted.decision_function(X), by_hand, atol=1e-12)
    np.testing.assert_allclose(fitted.member_decisions(X).mean(axis=0), by_hand, atol=1e-12)
    np.testing.assert_array_equal(fitted.predict(X), (by_hand > 0).astype(int))
    odds = np.exp(fitted.slope_ * by_hand)
    np.testing.assert_allclose(fitted.predict_proba(X), np.c_[1 / (1 + odds), odds / (1 + odds)])


def test_a_row_of_weight_two_counts_as_two_rows_in_every_part_of_a_decision():
    rng = np.random.RandomState(0)
    labeled = np.arange(300) < 80
    positive = labeled | (rng.rand(300) < 0.4)
    ratios = rng.normal(np.where(positive, 2.0, -1.5), 1.5, (4, 300))
    hidden = hide_parts(labeled, 4, 4, rng)
    times = 1 + np.arange(300) % 3
    rows = np.repeat(np.arange(300), times)
    for rule in ("auto", "balance", "prior", "pu-f1", "lee-liu"):
        told = {"size": 3, "rule": rule, "known_prior": None, "single_training_set": True}
        weighted = decide(ratios, labeled, hidden * times, times.astype(float), **told)
        repeated = decide(ratios[:, rows], labeled[rows], hidden[:, rows], **told)
        plain = decide(ratios, labeled, hidden, **told)
        assert weighted.members.tolist() == repeated.members.tolist()
        np.testing.assert_allclose(weighted.scales, repeated.scales)
        np.testing.assert_allclose(weighted.agreement_matrix, repeated.agreement_matrix)
        assert weighted.kappa == pytest.approx(repeated.kappa)
        assert weighted.report.n_labeled == repeated.report.n_labeled
        # resamples of labels are drawn by row, so these agree but for their noise
        assert weighted.report.threshold == pytest.approx(repeated.report.threshold, abs=0.1)
        assert weighted.prior == pytest.approx(repeated.prior, abs=0.01)
        assert weighted.slope == pytest.approx(repeated.slope, rel=0.1)
        assert weighted.scales.tolist() != plain.scales.tolist()


def test_every_labeled_row_is_held_out_by_some_member(fitted, blobs):
    assert fitted.threshold_report_.n_labeled == blobs[1].sum()


def test_the_rule_is_the_users_choice(blobs):
    threshold = {
        rule: fit(blobs, threshold=rule, max_epochs=20).threshold_report_.threshold
        for rule in ("balance", "prior")
    }
    assert threshold["balance"] == 0 != threshold["prior"]


def test_a_given_prior_is_taken_for_the_threshold(blobs):
    report = fit(blobs, prior=0.25, threshold="prior", max_epochs=20).threshold_report_
    assert report.prior_of_unlabeled == pytest.approx(60 / 360)
    assert report.prior_interval == (report.prior_of_unlabeled,) * 2


@pytest.mark.parametrize("options", [{"label_parts": None}, {"label_parts": 25}])
def test_labels_are_not_held_out_if_unwanted_or_too_few(blobs, options):
    model = fit(blobs, max_epochs=5, first_guess=None, **options)
    assert model.threshold_report_.n_labeled == 0
    assert model.threshold_report_.threshold == 0
    assert "no label was held out" in model.threshold_report_.reason
    assert model.slope_ == 2


@pytest.mark.parametrize("seed", range(3))
def test_noise_is_doubted_by_states_on_their_own(seed):
    X, y = np.random.RandomState(seed).normal(size=(300, 2)), np.arange(300) < 60
    with pytest.warns(AgreementWarning, match="do not tell positives apart"):
        LPSClassifier(first_guess=None, n_members=4, max_epochs=60, random_state=0).fit(X, y)


@pytest.mark.parametrize(
    ("found", "word"),
    [
        (
            {"agreement": 0.99, "kappa": 0.05, "recall": 0.9, "share": 0.1, "accuracy": 0.9},
            "one class",
        ),
        ({"agreement": 0.8, "kappa": 0.6, "recall": 0.6, "share": 0.5, "accuracy": 0.7}, "apart"),
        (
            {"agreement": 0.95, "kappa": 0.9, "recall": 0.7, "share": 0.3, "accuracy": 0.6},
            "wrong split",
        ),
    ],
)
def test_each_doubt_has_its_reason(found, word):
    (doubt,) = reasons_to_doubt(**found, n_held_out=50)
    assert word in doubt
    assert reasons_to_doubt(**found, n_held_out=5) == []
