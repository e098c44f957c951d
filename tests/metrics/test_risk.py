"""The risk from PU labels is the mean loss of the truth."""

import numpy as np
import pytest
import torch
from populations import simulate
from scipy.special import expit

from pulps.metrics import pu_accuracy_score, pu_risk
from pulps.metrics.risk import risk_parts

SCENARIOS = ["single-training-set", "case-control"]


LOSSES = {
    "zero-one": lambda margin: (margin < 0).astype(float),
    "sigmoid": lambda margin: expit(-margin),
    "logistic": lambda margin: np.log1p(np.exp(-margin)),
}


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("non_negative", [False, True])
def test_the_risk_equals_the_mean_loss_of_the_truth(scenario, loss, non_negative):
    y, score, truth, population = simulate(scenario)
    margin = (population - 0.9) * np.where(truth, 1, -1)
    estimate = pu_risk(
        y, score - 0.9, prior=0.4, loss=loss, non_negative=non_negative, scenario=scenario
    )
    assert estimate == pytest.approx(LOSSES[loss](margin).mean(), abs=0.01)


def test_the_zero_one_risk_is_one_minus_the_accuracy():
    y, score, _, _ = simulate("single-training-set", n=500)
    accuracy = pu_accuracy_score(y, (score > 0.5).astype(int), prior=0.4)
    assert pu_risk(y, score - 0.5, prior=0.4, loss="zero-one") == pytest.approx(1 - accuracy)


def test_the_risk_of_negatives_is_cut_off_at_zero():
    y, score = np.array([1, 1, 0, 0]), np.array([3.0, 3.0, -3.0, -3.0])
    unbiased = pu_risk(y, score, prior=0.9, loss="zero-one", non_negative=False)
    assert unbiased == pytest.approx(0.5 - 0.9)
    assert pu_risk(y, score, prior=0.9, loss="zero-one") == 0


def test_arrays_and_tensors_have_the_same_parts():
    rng = np.random.default_rng(0)
    positive, population = rng.normal(size=5), rng.normal(size=9)
    parts = risk_parts(positive, population, 0.3, LOSSES["sigmoid"])
    tensors = torch.as_tensor(positive), torch.as_tensor(population)
    same = risk_parts(*tensors, 0.3, lambda margin: torch.sigmoid(-margin))
    np.testing.assert_allclose([float(part) for part in same], parts)


def test_an_unknown_loss_is_refused():
    with pytest.raises(ValueError, match="zero-one"):
        pu_risk([1, 0], [1, 0], prior=0.5, loss="hinge")
