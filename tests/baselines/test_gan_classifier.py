"""Rivals with a generator: the contract, what they generate, how they end."""

import numpy as np
import polars as pl
import pytest
import torch
from populations import mixed_table
from sklearn.neighbors import KNeighborsClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from pulps.baselines import (
    CGenPUACClassifier,
    CGenPUClassifier,
    DGANClassifier,
    GenPUClassifier,
    PGANClassifier,
)
from pulps.baselines._shared.gan_classifier import endless
from pulps.datasets import make_toy

TINY = {"hidden_units": (8,), "noise_dim": 2, "n_updates": 2, "batch_size": 16, "random_state": 0}


SHORT = {"n_generated": 40, "classifier_epochs": 2}


ALL = [
    GenPUClassifier(prior=0.4, scenario="case-control", **TINY, **SHORT),
    PGANClassifier(**TINY, **SHORT),
    DGANClassifier(**TINY, **SHORT),
    CGenPUClassifier(**TINY, **SHORT),
    CGenPUACClassifier(**TINY),
]


def name(value):
    return type(value).__name__ if hasattr(value, "fit") else None


def known_gaps(estimator):
    return {
        "check_classifiers_classes": "string labels need pos_label: which of two words marks a "
        "labeled positive cannot be guessed",
        "check_classifiers_train": "two updates, which is what these checks can wait for, are "
        "too few to classify",
        "check_sample_weight_equivalence_on_dense_data": "a weight of two is the row twice, but "
        "the check shuffles rows, and in another order other batches are drawn",
    }


@parametrize_with_checks(ALL, expected_failed_checks=known_gaps)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def judge():
    """A classifier that knows the moons."""
    X, _, truth = make_toy("moons", n_rows=4000, random_state=1000)
    return KNeighborsClassifier().fit(X.to_numpy(), truth)


@pytest.mark.parametrize(
    "model", [GenPUClassifier(prior=0.5), CGenPUClassifier(weight=4.0), DGANClassifier()], ids=name
)
def test_generated_rows_lie_on_the_right_moon(model, judge):
    X, y, _ = make_toy("moons", random_state=1)
    model.set_params(hidden_units=(64, 64), noise_dim=4, n_updates=1200, random_state=1)
    model.set_params(n_generated=100, classifier_epochs=1).fit(X, y)
    for kind in (0,) if isinstance(model, DGANClassifier) else (0, 1):
        rows = model.sample(500, y=kind, random_state=0)
        assert list(rows.columns) == list(X.columns)
        assert (judge.predict(rows.to_numpy()) == kind).mean() >= 0.9


@pytest.mark.parametrize("model", ALL, ids=name)
def test_tables_with_everything_in_them(model):
    X, _, y = mixed_table()
    model.set_params(pos_label="yes")
    before = torch.get_rng_state()
    for table in (X, pl.from_pandas(X)):
        decision = model.fit(table, y).decision_function(table)
        np.testing.assert_array_equal(model.predict(table) == "yes", decision > 0)
        again = model.fit(table, y).decision_function(table)
        np.testing.assert_array_equal(again, decision)
        made = model.sample(20, y="no", random_state=0)
        assert type(made) is type(table)
        assert list(made.columns) == list(table.columns)
        assert set(made["color"]) <= {"red", "blue", "green"}
    assert torch.equal(before, torch.get_rng_state())
    model.set_params(pos_label=None)
    with pytest.raises(ValueError, match="for the negative class or"):
        model.sample(3, y="maybe")


def test_images_in_and_images_out():
    images = np.random.RandomState(0).uniform(3, 7, size=(40, 8, 8))
    y = np.repeat([1, 0], [10, 30])
    model = DGANClassifier(**TINY, **SHORT).fit(images, y)
    made = model.sample(5, y=0, random_state=0)
    assert made.shape == (5, 8, 8)
    assert made.min() >= 3
    assert made.max() <= 7
    assert model.predict(images).shape == (40,)
    with pytest.raises(ValueError, match="multiples of 4"):
        DGANClassifier(**TINY, **SHORT).fit(images[:, :6], y)


def test_batches_repeat_few_rows_and_miss_none():
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        batches = endless(torch.arange(3), 4)
        drawn = torch.cat([next(batches) for _ in range(3)])
    assert drawn.bincount().tolist() == [4, 4, 4]


class StopAtOnce:
    """A callback that ends the fit after its first hundred updates."""

    def setup(self, estimator, context):
        pass

    def on_fit_task_begin(self, estimator, context):
        pass

    def on_fit_task_end(self, estimator, context):
        return True

    def teardown(self, estimator, context):
        pass


def test_a_callback_can_end_the_game():
    X, y, _ = make_toy("blobs", n_rows=60, n_labeled=20, random_state=0)
    model = CGenPUACClassifier(**TINY).set_params(n_updates=500).set_callbacks(StopAtOnce())
    assert model.fit(X, y).n_iter_ == 100
    assert {len(curve) for curve in model.loss_curves_.values()} == {1}
