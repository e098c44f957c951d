"""Copies of a classifier are seeded all the way down."""

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from pulps.baselines import SpyClassifier
from pulps.datasets import make_toy


def test_a_forest_inside_a_pipeline_is_seeded_too():
    X, y, _ = make_toy("moons", n_rows=80, n_labeled=20, random_state=0)
    forest = make_pipeline(StandardScaler(), RandomForestClassifier(5))
    model = SpyClassifier(forest, random_state=0)
    first, second = (model.fit(X, y).decision_function(X) for _ in range(2))
    np.testing.assert_array_equal(first, second)
