"""Curves from PU labels are those of the truth, and their bands hold it."""

import numpy as np
import pytest
from populations import simulate
from sklearn.metrics import precision_recall_curve, roc_auc_score, roc_curve

from pulps.metrics import (
    precision_recall_band,
    prior_sensitivity,
    pu_precision_recall_curve,
    pu_precision_score,
    pu_roc_auc_score,
    pu_roc_curve,
    pu_specificity_score,
    roc_band,
)
from pulps.metrics.cumulative import CumulativeRows

SCENARIOS = ["single-training-set", "case-control"]


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_curves_equal_those_of_the_truth_on_a_large_simulation(scenario):
    y, score, truth, population = simulate(scenario, n=60_000)
    known = {"prior": 0.4, "scenario": scenario}
    fpr, tpr, _ = pu_roc_curve(y, score, **known)
    true_fpr, true_tpr, _ = roc_curve(truth, population)
    grid = np.linspace(0.05, 0.95, 10)
    np.testing.assert_allclose(
        np.interp(grid, fpr, tpr), np.interp(grid, true_fpr, true_tpr), atol=0.02
    )
    precision, recall, _ = pu_precision_recall_curve(y, score, **known)
    true_precision, true_recall, _ = precision_recall_curve(truth, population)
    np.testing.assert_allclose(
        np.interp(grid, recall, precision),
        np.interp(grid, true_recall[::-1], true_precision[::-1]),
        atol=0.03,
    )


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_point_of_a_curve_is_the_metric_at_its_threshold(scenario):
    y, score, _, _ = simulate(scenario, n=500)
    known = {"prior": 0.4, "scenario": scenario}
    roc, both = pu_roc_curve(y, score, **known), pu_precision_recall_curve(y, score, **known)
    for place in (5, 100, 300):
        cut = np.nextafter(both.thresholds[place], -np.inf)
        precision = pu_precision_score(y, score, threshold=cut, **known)
        assert both.precision[place] == pytest.approx(precision)
    steady = 300  # far from where the rate of false positives was kept from falling
    cut = np.nextafter(roc.thresholds[steady], -np.inf)
    specificity = pu_specificity_score(y, score, threshold=cut, **known)
    assert 1 - roc.fpr[steady] == pytest.approx(specificity, abs=0.02)


def test_the_area_of_sorted_rows_is_that_of_scikit_learn_with_ties_and_resamples():
    y, score, _, _ = simulate("single-training-set", n=300)
    rows = CumulativeRows(y, score.round(0))
    assert rows.counted().area == pytest.approx(roc_auc_score(y, score.round(0)))
    times = np.random.RandomState(0).randint(1, 4, size=len(y)).astype(float)
    area = roc_auc_score(y, score.round(0), sample_weight=times)
    assert rows.counted(times).area == pytest.approx(area)
    assert rows.counted().area == pytest.approx(pu_roc_auc_score(y, score.round(0)))
    weights = np.linspace(0.5, 2, len(y))
    area = roc_auc_score(y, score.round(0), sample_weight=weights * times)
    drawn = CumulativeRows(y, score.round(0), sample_weight=weights).counted(times)
    assert drawn.area == pytest.approx(area)


@pytest.mark.parametrize("band_of", [roc_band, precision_recall_band])
def test_a_band_holds_its_curve_and_an_unsure_prior_widens_it(band_of):
    y, score, _, _ = simulate("single-training-set", n=600)
    known = {"prior": 0.4, "n_resamples": 100, "random_state": 0}
    sure = band_of(y, score, **known)
    unsure = band_of(y, score, prior_draws=[0.3, 0.4, 0.5], **known)
    inside = (sure.low <= sure.curve + 1e-9) & (sure.curve <= sure.high + 1e-9)
    assert inside[5:-5].mean() > 0.9
    assert (unsure.high - unsure.low).mean() > (sure.high - sure.low).mean()
    np.testing.assert_array_equal(unsure.curve, sure.curve)


@pytest.mark.parametrize("band_of", [roc_band, precision_recall_band])
def test_a_band_is_about_weighted_rows_and_of_equal_weights_the_same(band_of):
    y, score, _, _ = simulate("single-training-set", n=300)
    known = {"prior": 0.4, "n_resamples": 20, "random_state": 0}
    times = np.random.default_rng(0).integers(1, 4, len(y))
    weighted = band_of(y, score, sample_weight=times, **known)
    repeated = band_of(np.repeat(y, times), np.repeat(score, times), **known)
    np.testing.assert_allclose(weighted.curve, repeated.curve, atol=1e-12)
    for one, other in zip(
        band_of(y, score, sample_weight=np.full(len(y), 2.0), **known),
        band_of(y, score, **known),
        strict=True,
    ):
        np.testing.assert_allclose(one, other, atol=1e-12)
    assert (weighted.high - weighted.low).mean() > (repeated.high - repeated.low).mean()


def test_a_band_holds_the_truth_nine_times_in_ten():
    held = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        truth = rng.random(400) < 0.4
        score = rng.normal(1.5 * truth)
        y = truth & (rng.random(400) < 0.5)
        band = roc_band(y, score, prior=0.4, n_resamples=100, random_state=seed)
        held.append(band.low[30] <= 0.8352 <= band.high[30])  # tpr at fpr 0.3 of the population
    assert np.mean(held) >= 0.8


def test_precision_rises_with_the_prior_and_the_recall_stays():
    y, score, _, _ = simulate("single-training-set", n=500)
    table = prior_sensitivity(y, score, threshold=0.7)
    assert table.index.min() >= y.mean()
    assert table["precision"].is_monotonic_increasing
    assert table["recall"].nunique() == 1
    assert table.loc[:, ["precision", "specificity", "f1", "accuracy"]].stack().between(0, 1).all()


def test_a_level_that_is_no_share_is_refused():
    with pytest.raises(ValueError, match=r"such as 0\.9"):
        roc_band([1, 0], [1, 0], prior=0.4, level=90)
