"""The classifiers that methods are built around: the default, seeded copies, their answers."""

from __future__ import annotations

import numpy as np
from sklearn.base import clone
from sklearn.ensemble import ExtraTreesClassifier


def default_forest(**parameters) -> ExtraTreesClassifier:
    """Forest of 100 trees with random cuts, whose leaves are not too small to be probabilities.

    Random cuts spread a label over its neighborhood, which counts where few rows are labeled.
    """
    return ExtraTreesClassifier(n_estimators=100, min_samples_leaf=5, **parameters)


def seeded(estimator, rng: np.random.RandomState):
    """Copy an estimator; if it draws random numbers and has no seed, give it one."""
    copy = clone(estimator)
    if copy.get_params().get("random_state", 0) is None:
        copy.set_params(random_state=rng.randint(np.iinfo(np.int32).max))
    return copy


def labeled_column(classifier, rows: np.ndarray) -> np.ndarray:
    """Probability of the class True."""
    column = list(classifier.classes_).index(True)
    return classifier.predict_proba(rows)[:, column]
