"""What the classifier makes of held-out labels: prior, threshold, probability, warnings."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from pulps import LPSClassifier, hide_labels
from pulps.decision.decide import decide
from pulps.decision.selection import AgreementWarning, doubts_about


@pytest.fixture(scope="module")
def blobs():
    """Two clouds, one in four rows positive."""
    X, y_true = make_blobs([300, 100], centers=[[0, 0], [3, 3]], random_state=0)
    return X, hide_labels(y_true, n_labeled=40, random_state=0), y_true


def fit(blobs, **options):
    X, y, _ = blobs
    return LPSClassifier(**{"n_members": 4, "max_epochs": 60, "random_state": 0} | options).fit(
        X, y
    )


@pytest.fixture(scope="module")
def fitted(blobs):
    return fit(blobs)


def test_members_are_compared_where_the_decision_is_cut():
    """Two members that differ below the threshold only agree on everything."""
    labeled = np.arange(100) < 40
    ratios = np.tile(np.where(np.arange(100) < 60, 2.0, -2.0), (2, 1))
    ratios[0, 60:80] = 0.1
    spies = np.stack([labeled, labeled])
    told = {"rule": "prior", "known_prior": 1 / 3, "alone": True}
    decision = decide(ratios, labeled, spies, np.ones(100), **told)
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


def test_decision_probability_and_class_agree(fitted, blobs):
    X, *_ = blobs
    decision = fitted.decision_function(X)
    probability = fitted.predict_proba(X)[:, 1]
    np.testing.assert_array_equal(decision > 0, fitted.predict(X) == 1)
    np.testing.assert_array_equal(decision > 0, probability > 0.5)
    np.testing.assert_allclose(probability, 1 / (1 + np.exp(-fitted.slope_ * decision)))


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
    model = fit(blobs, max_epochs=5, **options)
    assert model.threshold_report_.n_labeled == 0
    assert model.threshold_report_.threshold == 0
    assert "no label was held out" in model.threshold_report_.reason
    assert model.slope_ == 2


@pytest.mark.parametrize("seed", range(3))
def test_noise_is_doubted(seed):
    X, y = np.random.RandomState(seed).normal(size=(300, 2)), np.arange(300) < 60
    with pytest.warns(AgreementWarning, match="do not tell positives apart"):
        LPSClassifier(n_members=4, max_epochs=60, random_state=0).fit(X, y)


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
    (doubt,) = doubts_about(**found, n_held_out=50)
    assert word in doubt
    assert doubts_about(**found, n_held_out=5) == []
