"""Scores of predicted classes estimate those from the truth, in both scenarios."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from populations import simulate
from sklearn.metrics import accuracy_score, f1_score, precision_score, recall_score

from pulps.metrics import (
    lee_liu_score,
    pu_accuracy_score,
    pu_f1_score,
    pu_precision_score,
    pu_recall_score,
    pu_roc_auc_score,
)

SCENARIOS = ["single-training-set", "case-control"]


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("cut", [-0.5, 0.75, 2.0])
def test_estimates_equal_the_truth_on_a_large_simulation(scenario, cut):
    y, score, truth, population = simulate(scenario)
    y_pred, predicted = (score > cut).astype(int), (population > cut).astype(int)
    known = {"prior": 0.4, "scenario": scenario}
    close = {"abs": 0.01}
    assert pu_recall_score(y, y_pred) == pytest.approx(recall_score(truth, predicted), **close)
    for estimate, score_of_truth in [
        (pu_precision_score, precision_score),
        (pu_f1_score, f1_score),
        (pu_accuracy_score, accuracy_score),
    ]:
        assert estimate(y, y_pred, **known) == pytest.approx(
            score_of_truth(truth, predicted), **close
        )
    product = precision_score(truth, predicted) * recall_score(truth, predicted)
    assert 0.4 * lee_liu_score(y, y_pred, scenario=scenario) == pytest.approx(product, **close)


def test_the_accuracy_in_one_sample_is_exact_up_to_recall():
    """The formula with coefficient 2 − c, in counts."""
    y, score, _, _ = simulate("single-training-set", n=1000)
    y_pred = (score > 1).astype(int)
    labeled = y == 1
    prior, r, c = 0.4, y_pred[labeled].mean(), labeled.mean() / 0.4
    exact = prior * (2 - c) * r + (~labeled).mean() * (1 - y_pred[~labeled]).mean()
    assert pu_accuracy_score(y, y_pred, prior=0.4) == pytest.approx(exact - prior * (1 - c))


@given(
    st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=2, max_size=30).filter(
        lambda rows: 0 < sum(y for y, _ in rows) < len(rows)
    ),
    st.floats(0.05, 0.95),
    st.sampled_from(SCENARIOS),
)
def test_estimates_stay_in_their_interval(rows, prior, scenario):
    y, y_pred = np.array(rows).T
    for score in (pu_precision_score, pu_f1_score, pu_accuracy_score):
        assert 0 <= score(y, y_pred, prior=prior, scenario=scenario) <= 1
    assert lee_liu_score(y, y_pred, scenario=scenario) >= 0


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_constant_answers_have_their_known_values(scenario):
    y, _, _, _ = simulate(scenario, n=1000)
    ones, zeros = np.ones_like(y), np.zeros_like(y)
    known = {"prior": 0.4, "scenario": scenario}
    assert pu_precision_score(y, ones, **known) == pytest.approx(0.4)
    assert pu_f1_score(y, ones, **known) == pytest.approx(0.8 / 1.4)
    assert pu_accuracy_score(y, zeros, **known) == pytest.approx(0.6)
    assert lee_liu_score(y, ones, scenario=scenario) == 1
    assert lee_liu_score(y, zeros, scenario=scenario) == 0
    assert pu_precision_score(y, zeros, **known) == 0
    assert pu_roc_auc_score(y, ones, **known) == pytest.approx(0.5)
