"""Predictors that put nearly all rows in one class are recognized."""

import numpy as np
import pytest
from populations import simulate

from pulps.metrics import constant_scores, why_degenerate

SCENARIOS = ["single-training-set", "case-control"]


def test_degenerate_predictors_are_told():
    y = np.r_[np.ones(10, int), np.zeros(200, int)]
    none, everyone = np.zeros_like(y), np.ones_like(y)
    assert "all of 200 unlabeled rows are called negative" in why_degenerate(y, none)
    assert "called positive" in why_degenerate(y, everyone)
    one = none.copy()
    one[[0, 15]] = 1
    assert "99.5%" in why_degenerate(y, one)
    assert why_degenerate(y, one, min_share=0.004) is None
    turned = 1 - y
    turned[:50] = 0
    assert "fewer than" in why_degenerate(y, turned)
    assert why_degenerate(y, np.r_[np.ones(40, int), np.zeros(170, int)]) is None


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_the_scores_of_constant_answers_are_those_of_the_functions(scenario):
    y, _, _, _ = simulate(scenario, n=100)
    scores = constant_scores(y, prior=0.3, scenario=scenario)
    assert scores["all-positive"]["f1"] == pytest.approx(2 * 0.3 / 1.3)
    assert scores["all-positive"]["lee_liu"] == 1
    assert scores["all-negative"]["accuracy"] == pytest.approx(0.7)
    assert scores["all-negative"]["recall"] == 0
