"""Which rows are labeled, which are the population, and what is refused."""

import inspect

import numpy as np
import pytest
from populations import simulate

from pulps import metrics
from pulps.metrics import (
    lee_liu_score,
    prior_of_unlabeled,
    pu_f1_score,
    pu_recall_score,
    pu_roc_auc_score,
)

OF_CLASSES = (
    "lee_liu_score predicted_positive_rate pu_accuracy_score pu_f1_score pu_precision_score "
    "pu_recall_score pu_specificity_score why_degenerate prior_sensitivity"
).split()
OF_SCORES = (
    "aul_score pu_risk pu_roc_auc_score pu_roc_curve pu_precision_recall_curve roc_band "
    "precision_recall_band"
).split()

POINTS = OF_SCORES[:-2]  # bands draw rows


def told(name, y, answers, **options):
    """Call a metric with what it needs of a prior and a seed."""
    function = getattr(metrics, name)
    taken = inspect.signature(function).parameters
    known = {"prior": 0.4, "random_state": 0, "n_resamples": 5}
    if name == "prior_sensitivity":
        known["priors"] = [0.4, 0.6]
    given = {key: value for key, value in known.items() if key in taken or key == "priors"}
    return function(y, answers, **(given | options))


def as_arrays(found):
    return [] if found is None or isinstance(found, str) else np.asarray(found, dtype=float)


@pytest.fixture(scope="module")
def rows():
    y, score, _, _ = simulate("single-training-set", n=200)
    return y, score.round(1)


@pytest.mark.parametrize("name", [*OF_CLASSES, *OF_SCORES])
def test_minus_one_booleans_and_blanks_mean_unlabeled(name, rows):
    y, score = rows
    answers = score if name in OF_SCORES else (score > 0.7).astype(int)
    expected = as_arrays(told(name, y, answers))
    for same in (np.where(y, 1, -1), y.astype(bool), np.where(y, 1.0, np.nan)):
        np.testing.assert_array_equal(as_arrays(told(name, same, answers)), expected)


@pytest.mark.parametrize("name", OF_CLASSES)
def test_scores_with_a_threshold_equal_the_classes_they_give(name, rows):
    y, score = rows
    classes = np.where(score > 0.7, 1, -1)
    by_classes, by_scores = told(name, y, classes), told(name, y, score, threshold=0.7)
    if name == "prior_sensitivity":
        by_scores = by_scores.drop(columns="roc_auc")
    np.testing.assert_array_equal(as_arrays(by_classes), as_arrays(by_scores))


@pytest.mark.parametrize("scenario", ["single-training-set", "case-control"])
@pytest.mark.parametrize("name", [*OF_CLASSES, *POINTS])
def test_a_row_of_weight_two_is_two_rows_and_one_of_weight_zero_none(name, scenario, rows):
    y, score = rows
    answers = score if name in POINTS else (score > 0.7).astype(int)
    times = np.random.default_rng(0).integers(0, 4, len(y))
    options = {} if name in ("pu_recall_score", "why_degenerate") else {"scenario": scenario}
    if name == "why_degenerate":
        options = {"min_share": 1.0}  # tells the shares
    if (
        scenario == "case-control"
        and "prior" in inspect.signature(getattr(metrics, name)).parameters
    ):
        options["prior"] = 0.2  # of fewer rows; nothing is clipped
    found = told(name, y, answers, sample_weight=times, **options)
    repeated = told(name, np.repeat(y, times), np.repeat(answers, times), **options)
    if name == "why_degenerate":
        assert found.split(" of ")[0] == repeated.split(" of ")[0]
        return
    for one, other in zip(np.atleast_1d(found), np.atleast_1d(repeated), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)
    changed = told(name, y, answers, **options)
    assert np.shape(changed) != np.shape(found) or not np.allclose(changed, found)


def test_the_prior_of_the_unlabeled_rows_counts_rows_as_often_as_they_weigh(rows):
    y, _ = rows
    times = np.random.default_rng(0).integers(1, 4, len(y))
    found = prior_of_unlabeled(y, prior=0.4, sample_weight=times)
    assert found == pytest.approx(prior_of_unlabeled(np.repeat(y, times), prior=0.4))


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1.0, 2.0], "one weight per row"),
        ([1.0, np.nan, 1.0], "1 weights are missing"),
        ([1.0, -1.0, 1.0], "1 weights are missing, infinite or negative"),
        ([0.0, 1.0, 1.0], "All 1 labeled rows have weight zero"),
        ([1.0, 0.0, 0.0], "All 2 unlabeled rows have weight zero"),
    ],
)
def test_weights_that_count_nothing_are_refused(weights, message):
    for metric in (pu_recall_score, metrics.aul_score, metrics.why_degenerate):
        with pytest.raises(ValueError, match=message):
            metric([1, 0, 0], [1, 0, 1], sample_weight=weights)


def test_a_risk_of_probabilities_is_cut_where_it_is_told(rows):
    y, score = rows
    same = {"prior": 0.4, "loss": "zero-one"}
    assert metrics.pu_risk(y, score - 0.7, **same) == pytest.approx(
        metrics.pu_risk(y, score, threshold=0.7, **same)
    )


def test_the_prior_of_the_unlabeled_rows_depends_on_the_scenario():
    y, _, truth, _ = simulate("single-training-set")
    share = truth[y == 0].mean()
    assert prior_of_unlabeled(y, prior=0.4) == pytest.approx(share, abs=0.005)
    assert prior_of_unlabeled(y, prior=0.4, scenario="case-control") == 0.4


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: pu_recall_score([0, 0], [1, 0]), "labeled and unlabeled"),
        (lambda: pu_recall_score([1, 1], [1, 0]), "labeled and unlabeled"),
        (lambda: pu_recall_score([1, 2], [1, 0]), "PU labels are 1"),
        (lambda: pu_recall_score(["yes", "no"], [1, 0]), "PU labels are 1"),
        (lambda: pu_recall_score([1, 0, 0], [1, 0, -1]), "values 0"),
        (lambda: pu_recall_score([1, 0], [0.3, 0.7]), "scores and a threshold"),
        (lambda: pu_recall_score([1, 0], [0.3, np.nan], threshold=0.5), "1 of them are missing"),
        (lambda: pu_roc_auc_score([1, 0], [0.3]), "one score per row"),
        (lambda: pu_recall_score([1, 0], [1, 0, 1]), "shape"),
        (lambda: pu_recall_score([1, 0], [1, 2]), "the values 0"),
        (lambda: pu_f1_score([1, 0], [1, 0], prior=0.0), "between 0 and 1"),
        (lambda: lee_liu_score([1, 0], [1, 0], scenario="pu"), "case-control"),
    ],
)
def test_rows_that_cannot_be_scored_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
