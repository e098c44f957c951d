"""Classes by single precision, and by double near the threshold: the same as by double alone."""

import numpy as np
import pytest
import torch

from pulps import LPSClassifier, hide_labels
from pulps.estimators.tables.states import States
from pulps.estimators.tables.two_precisions import Sides


@pytest.fixture(scope="module")
def model():
    rng = np.random.default_rng(0)
    y_true = rng.random(200) < 0.5
    X = rng.standard_normal((200, 8)) + y_true[:, None]
    y = hide_labels(y_true, label_frequency=0.3, random_state=0)
    return LPSClassifier(n_members=3, max_epochs=40, random_state=0).fit(X, y)


@pytest.fixture
def rows():
    rng = np.random.default_rng(1)
    values = rng.random((3000, 8))
    values[::7, 2] = np.nan
    return values


class Log(States):
    """States that tell how many rows came in which precision, and may be wrong in single."""

    error = 0.0

    def log_ratios(self, values, dtype=torch.float64):
        self.asked.append((dtype, len(values)))
        ratios = super().log_ratios(values, dtype)
        return ratios + self.error if dtype == torch.float32 else ratios


def watched(model, error=0.0):
    states = Log(model.embedding, model.positive_cores_, model.negative_cores_)
    object.__setattr__(states, "asked", [])
    object.__setattr__(states, "error", error)
    return Sides(states, model.decision_rule)


def test_classes_are_those_of_double_precision(model, rows):
    columns = model.encoder_.columns_
    table = np.column_stack([c.decode(v) for c, v in zip(columns, rows.T, strict=True)])
    table[np.isnan(rows)] = np.nan
    expected = model.classes_[(model.decision_function(table) > 0).astype(int)]
    np.testing.assert_array_equal(model.predict(table), expected)


def test_few_complete_rows_are_swept_twice_and_incomplete_ones_in_double(model, rows):
    sides = watched(model)
    positive = sides.positive(rows)
    np.testing.assert_array_equal(positive, model.decision_of_encoded(rows) > 0)
    whole = int((~np.isnan(rows).any(axis=1)).sum())
    (single, n_single), (double, n_double) = sides.states.asked
    assert (single, double) == (torch.float32, torch.float64)
    assert n_single == whole
    assert len(rows) - whole <= n_double < len(rows) - whole + 0.05 * whole


def test_single_precision_is_far_better_than_the_margin(model, rows):
    sides = Sides(model.states, model.decision_rule)
    whole = rows[~np.isnan(rows).any(axis=1)]
    moved = sides._decision(whole, torch.float32) - sides._decision(whole, torch.float64)
    assert np.abs(moved).max() < sides.band / 50


@pytest.mark.parametrize("error", [0.02, 0.5, -0.5, np.nan])
def test_if_single_precision_is_poor_everything_is_swept_in_double(model, rows, error):
    near = np.argsort(np.abs(model.decision_of_encoded(rows)))[:400]
    rows = np.concatenate([rows[near], rows])
    sides = watched(model, error)
    positive = sides.positive(rows)
    assert sides.states.asked[-1] == (torch.float64, len(rows))
    np.testing.assert_array_equal(positive, model.decision_of_encoded(rows) > 0)


@pytest.mark.parametrize("size", [1, 7, 256])
def test_classes_do_not_depend_on_how_rows_are_grouped(model, rows, size):
    near = np.argsort(np.abs(model.decision_of_encoded(rows)))[:256]
    sides = Sides(model.states, model.decision_rule)
    together = sides.positive(rows)[near]
    apart = [sides.positive(rows[near[i : i + size]]) for i in range(0, 256, size)]
    np.testing.assert_array_equal(np.concatenate(apart), together)
