"""CGenPU and CGenPU-AC: losses by hand, and one game for both."""

import math

import numpy as np
import pytest
import torch

from pulps.baselines import CGenPUACClassifier, CGenPUClassifier
from pulps.baselines.gans.cgenpu import class_terms, divergence
from pulps.datasets import make_toy

TINY = {"hidden_units": (8,), "noise_dim": 2, "n_updates": 2, "batch_size": 16, "random_state": 0}


SHORT = {"n_generated": 40, "classifier_epochs": 2}


def test_the_divergence_of_cgenpu_has_one_term_and_is_clipped():
    a, b = torch.tensor([0.5, 0.0]), torch.tensor([0.25, 1.0])
    expected = (0.5 * math.log(2) + 1e-7 * math.log(1e-7)) / 2
    assert float(divergence(a, b)) == pytest.approx(expected, rel=1e-5)
    known, like, unlike = (torch.tensor([p]) for p in (0.9, 0.6, 0.2))
    expected = 0.9 * math.log(0.9 / 0.6) + 0.6 * math.log(0.6 / 0.8)
    assert float(class_terms(known, like, unlike)) == pytest.approx(expected)


def test_cgenpu_makes_both_classes_in_one_batch():
    """Batch normalization of each class by itself would hide what tells them apart."""
    X, y, _ = make_toy("blobs", n_rows=60, n_labeled=20, random_state=0)
    sizes = []

    class Noted(torch.nn.Linear):
        def forward(self, rows):
            if self.training:
                sizes.append(len(rows))
            return super().forward(rows)

    def generator(n_inputs, shape):
        return Noted(n_inputs, shape[0])

    CGenPUClassifier(**TINY | {"generator": generator}, **SHORT).fit(X, y)
    assert set(sizes) == {2 * TINY["batch_size"]}


def test_both_forms_of_cgenpu_play_the_same_game():
    X, y, _ = make_toy("blobs", n_rows=100, n_labeled=20, random_state=0)
    two, one = CGenPUClassifier(**TINY, **SHORT).fit(X, y), CGenPUACClassifier(**TINY).fit(X, y)
    for key, weights in one.weights_["generator"].items():
        np.testing.assert_array_equal(weights, two.weights_["generator"][key])
    assert two._answering() == "classifier"
    assert one._answering() == "auxiliary"
    assert not np.allclose(one.decision_function(X), two.decision_function(X))
