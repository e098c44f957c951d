"""The classifiers that methods are built around: the default, seeded copies, their answers."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.ensemble import ExtraTreesClassifier

from pulps.io.randomness import new_seed


def default_forest(**parameters: Any) -> ExtraTreesClassifier:
    """Forest of 100 trees with random cuts, whose leaves are not too small to be probabilities.

    Random cuts spread a label over its neighborhood, which counts where few rows are labeled.
    """
    return ExtraTreesClassifier(n_estimators=100, min_samples_leaf=5, **parameters)


def seeded(estimator: Any, rng: np.random.RandomState) -> Any:
    """Copy an estimator; give a seed to all of it that draws random numbers and has none.

    >>> from sklearn.calibration import CalibratedClassifierCV
    >>> forest = CalibratedClassifierCV(ExtraTreesClassifier())
    >>> seeded(forest, np.random.RandomState(0)).estimator.random_state
    209652396
    """
    copy = clone(estimator)
    for name, value in sorted(copy.get_params(deep=True).items()):
        if value is None and name.rpartition("__")[2] == "random_state":
            copy.set_params(**{name: new_seed(rng)})
    return copy


def labeled_column(classifier: Any, rows: np.ndarray) -> np.ndarray:
    """Probability of the class True."""
    column = list(classifier.classes_).index(True)
    return classifier.predict_proba(rows)[:, column]


def cross_validates(estimator: Any) -> bool:
    """Whether an estimator splits its rows itself, such as for the probabilities of an SVC.

    It must not be given a row twice: one copy would be scored by what the other one taught.

    >>> from sklearn.calibration import CalibratedClassifierCV
    >>> [cross_validates(one) for one in (CalibratedClassifierCV(), ExtraTreesClassifier())]
    [True, False]
    """
    return any(
        name.rpartition("__")[2] == "cv" or (name.rpartition("__")[2] == "probability" and value)
        for name, value in estimator.get_params(deep=True).items()
    )
