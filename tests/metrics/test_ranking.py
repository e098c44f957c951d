"""Areas under curves from PU labels, in both scenarios."""

import numpy as np
import pytest
from populations import simulate
from sklearn.metrics import roc_auc_score

from pulps.metrics import aul_score, pu_roc_auc_score

SCENARIOS = ["single-training-set", "case-control"]


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_the_area_is_corrected_by_the_prior_of_the_unlabeled_rows(scenario):
    y, score, truth, population = simulate(scenario)
    true_area = roc_auc_score(truth, population)
    proxy = pu_roc_auc_score(y, score)
    assert proxy < true_area - 0.05
    corrected = pu_roc_auc_score(y, score, prior=0.4, scenario=scenario)
    assert corrected == pytest.approx(true_area, abs=0.01)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_the_area_under_the_lift_curve_needs_no_prior(scenario):
    y, score, truth, population = simulate(scenario)
    expected = 0.4 / 2 + 0.6 * roc_auc_score(truth, population)
    assert aul_score(y, score, scenario=scenario) == pytest.approx(expected, abs=0.01)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_the_area_under_the_lift_curve_is_the_count_of_all_pairs(scenario):
    rng = np.random.default_rng(1)
    y, score = rng.integers(0, 2, 40), rng.integers(0, 6, 40)
    others = score if scenario == "single-training-set" else score[y == 0]
    pairs = score[y == 1][:, None] - others
    expected = ((pairs > 0) + 0.5 * (pairs == 0)).mean()
    assert aul_score(y, score, scenario=scenario) == pytest.approx(expected)
