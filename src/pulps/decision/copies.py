"""Votes of any estimators: what each of several models calls every row.

A model that trains members of its own gives one vote per member; of any other estimator,
several copies are fitted that differ in their seed and, where it has none, in the rows they
see.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils import check_random_state

from pulps.io._sklearn import safe_indexing
from pulps.io.workers import Call, in_order


def member_votes(model: Any, X: Any) -> np.ndarray:
    """Votes of a fitted model's own members.

    Any model with ``member_decisions(X)``, decision values of shape (members, rows), has
    members; any other is one member.

    Parameters
    ----------
    model
        A fitted classifier.
    X
        Rows.

    Returns
    -------
    array of bool, shape (members, rows)
        True where a member calls a row positive.
    """
    if hasattr(model, "member_decisions"):
        return np.asarray(model.member_decisions(X)) > 0
    return (np.asarray(model.predict(X)) == model.classes_[-1])[None]


def collect_votes(models: Sequence[Any], X: Any) -> np.ndarray:
    """Votes of several fitted models, one after the other.

    Parameters
    ----------
    models
        Fitted classifiers.
    X
        Rows.

    Returns
    -------
    array of bool, shape (members of all models, rows)

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> X, y = np.zeros((3, 1)), [0, 1, 1]
    >>> models = [DummyClassifier(strategy="constant", constant=c).fit(X, y) for c in (0, 1)]
    >>> collect_votes(models, X)
    array([[False, False, False],
           [ True,  True,  True]])
    """
    return np.concatenate([member_votes(model, X) for model in models])


def fit_members(
    estimator: BaseEstimator,
    X: Any,
    y: Any,
    *,
    n_members: int = 10,
    bootstrap: bool | str = "auto",
    random_state: int | np.random.RandomState | None = None,
    n_jobs: int | None = None,
) -> list[Any]:
    """Fit copies of an estimator that differ in their seed, or in the rows they see.

    Equal copies would agree perfectly and say nothing. Results do not depend on ``n_jobs`` or
    on where joblib runs them.

    Parameters
    ----------
    estimator
        Any scikit-learn classifier or pipeline.
    X, y
        Rows and PU labels.
    n_members
        Number of copies.
    bootstrap
        Whether each copy sees a bootstrap resample of the rows, drawn among labeled and
        unlabeled rows apart. ``"auto"`` does so if the estimator has no ``random_state``;
        say True for one whose seed changes nothing, such as a logistic regression.
    random_state
        Seed of the seeds.
    n_jobs
        Processes, as joblib understands it.

    Returns
    -------
    list
        The fitted copies.
    """
    rng = check_random_state(random_state)
    seeds = rng.randint(np.iinfo(np.int32).max, size=n_members)
    calls = (Call(_fit_one, (clone(estimator), X, y, int(seed), bootstrap)) for seed in seeds)
    return in_order(calls, n_jobs)


def _fit_one(estimator: Any, X: Any, y: Any, seed: int, bootstrap: bool | str) -> Any:
    seeded = set_seeds(estimator, seed)
    if bootstrap is True or (bootstrap == "auto" and not seeded):
        rows = _stratified_bootstrap(np.asarray(y), np.random.RandomState(seed))
        X, y = safe_indexing(X, rows), safe_indexing(y, rows)
    return estimator.fit(X, y)


def set_seeds(estimator: BaseEstimator, seed: int) -> bool:
    """Seed an estimator and all its parts.

    Parameters
    ----------
    estimator
        Any scikit-learn estimator; it is changed.
    seed
        Seed of the seeds.

    Returns
    -------
    bool
        Whether there was anything to seed.
    """
    names = [
        name
        for name in sorted(estimator.get_params(deep=True))
        if name == "random_state" or name.endswith("__random_state")
    ]
    seeds = np.random.RandomState(seed).randint(np.iinfo(np.int32).max, size=len(names))
    estimator.set_params(**dict(zip(names, map(int, seeds), strict=True)))
    return bool(names)


def _stratified_bootstrap(y: np.ndarray, rng: np.random.RandomState) -> np.ndarray:
    groups = [np.flatnonzero(y == value) for value in np.unique(y)]
    return np.concatenate([rng.choice(rows, len(rows)) for rows in groups])
