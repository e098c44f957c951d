"""Rivals with a network: held-out rows, images, any module."""

import numpy as np
import pytest
import torch

from pulps import hide_labels
from pulps.baselines import NNPUClassifier, VPUClassifier
from pulps.datasets import make_toy


def test_held_out_rows_are_in_neither_group_that_trains():
    rows = np.arange(60.0)[:, None]
    labeled = np.arange(60) < 20
    model = VPUClassifier(validation_share=0.25)
    rest, held = model._hold_out(rows, labeled, torch.Generator().manual_seed(0))
    assert [len(group) for part in (rest, held) for group in (part.positive, part.other)] == [
        15,
        45,
        5,
        15,
    ]
    trained = {*rest.positive.ravel().tolist(), *rest.other.ravel().tolist()}
    assert not trained & {*held.positive.ravel().tolist(), *held.other.ravel().tolist()}
    assert {*held.positive.ravel().tolist()} < {*held.other.ravel().tolist()}


def test_a_single_labeled_row_cannot_be_held_out():
    X, y, _ = make_toy("moons", n_rows=40, n_labeled=1, random_state=0)
    with pytest.raises(ValueError, match="n_iter_no_change=None"):
        VPUClassifier(max_epochs=2, random_state=0).fit(X, y)


def stripes(n=120):
    """Images with a vertical (positive) or a horizontal stripe."""
    rng = np.random.RandomState(0)
    y_true = rng.randint(2, size=n)
    images = rng.normal(0, 0.3, size=(n, 8, 8))
    for image, positive, at in zip(images, y_true, rng.randint(8, size=n), strict=True):
        (image.T if positive else image)[at] += 2
    return images, y_true


def test_a_small_cnn_learns_images():
    images, y_true = stripes()
    y = hide_labels(y_true, label_frequency=0.5, random_state=0)
    model = NNPUClassifier(
        network="cnn",
        prior=float(y_true.mean()),
        max_epochs=30,
        learning_rate=0.01,
        random_state=0,
    )
    assert (model.fit(images, y).predict(images) == y_true).mean() > 0.9
    with pytest.raises(ValueError, match="reads images"):
        NNPUClassifier(network="cnn", prior=0.6).fit(images.reshape(120, -1), y)


@pytest.mark.parametrize(
    "network",
    [
        "linear",
        torch.nn.Sequential(torch.nn.Linear(2, 4), torch.nn.Dropout(), torch.nn.Linear(4, 1)),
        lambda shape: torch.nn.Linear(shape[0], 1),
    ],
    ids=["name", "module", "factory"],
)
def test_any_module_serves_and_its_fit_is_reproducible(network):
    X, y, y_true = make_toy("blobs", n_rows=200, n_labeled=40, random_state=0)
    before = torch.get_rng_state()
    options = {"prior": 0.5, "max_epochs": 20, "learning_rate": 0.02, "random_state": 0}
    first, second = (NNPUClassifier(network=network, **options).fit(X, y) for _ in range(2))
    assert (first.predict(X) == y_true).mean() > 0.95
    np.testing.assert_array_equal(first.decision_function(X), second.decision_function(X))
    assert torch.equal(before, torch.get_rng_state())
    assert all(isinstance(weights, np.ndarray) for weights in first.weights_.values())
