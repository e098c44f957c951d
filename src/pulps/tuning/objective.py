r"""How a setting is judged: agreement of members, PU scores, or both.

A setting is fitted on the training part of a fold. Its members vote on all rows of the table,
and its scores from PU labels come from the held-out part.

==============  ==================================================================
``agreement``   largest agreement of two sound members: the paper's estimated accuracy
``kappa``       mean agreement of sound members beyond chance
``guarded``     agreement × (2 *A* − 1), *A* the area of held-out labeled against unlabeled
                rows: members must agree, and on something the labels support
others          a metric of :func:`pulps.metrics.make_pu_scorer` on the held-out part
==============  ==================================================================

Members that call nearly all rows one class, or lose the labeled rows, are not sound; with
fewer than two sound members the agreement is zero.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from pulps.decision import AgreementWarning
from pulps.decision.copies import collect_votes, fit_members, set_seeds
from pulps.decision.selection import (
    agreement_matrix,
    kappa_matrix,
    mean_of_pairs,
    most_agreeing_pair,
    sound_members,
)
from pulps.io._sklearn import safe_indexing
from pulps.metrics import Scenario, make_pu_scorer
from pulps.metrics.scorer import METRICS

OBJECTIVES = ("agreement", "kappa", "guarded", *METRICS)
ALWAYS = ("lee_liu", "roc_auc")

Objective = str | Callable[[Mapping[str, float]], float]


def value_of(objective: Objective, result: Mapping[str, float]) -> float:
    """Judge the result of a fold; larger is better.

    Parameters
    ----------
    objective
        Name of an objective, or a function of the result.
    result
        From :func:`evaluate`.

    Returns
    -------
    float
        The value.

    Examples
    --------
    >>> value_of("guarded", {"agreement": 0.9, "roc_auc": 0.75})
    0.45
    """
    if callable(objective):
        return float(objective(result))
    if objective == "guarded":
        return result["agreement"] * max(2 * result["roc_auc"] - 1, 0.0)
    return result[objective]


def metrics_needed(objective: Objective, prior: float | None) -> tuple[str, ...]:
    """List the PU metrics to compute; refuse an unknown objective.

    Parameters
    ----------
    objective
        Name of an objective, or a function of the results.
    prior
        Share of positives among all rows, if it is known.

    Returns
    -------
    tuple of str
        Names of the metrics.
    """
    if not callable(objective) and objective not in OBJECTIVES:
        raise ValueError(
            f"objective is {objective!r}; it must be one of {', '.join(OBJECTIVES)}, or a "
            "function of the results of a fold."
        )
    needed = [*ALWAYS] if prior is None else [*METRICS]
    if objective in METRICS and objective not in needed:
        needed.append(str(objective))
    return tuple(needed)


def evaluate(
    estimator: Any,
    parameters: Mapping[str, Any],
    X: Any,
    y: Any,
    labeled: np.ndarray,
    train: np.ndarray,
    test: np.ndarray,
    *,
    metrics: tuple[str, ...],
    n_members: int,
    prior: float | None,
    scenario: Scenario,
    seed: int,
) -> dict[str, Any]:
    """Fit a setting on the training rows of a fold, and collect all it can be judged by.

    A failure is a result with ``error``. The function reads nothing but its arguments, so it
    may run anywhere.

    Parameters
    ----------
    estimator
        An unfitted estimator.
    parameters
        Parameters to set.
    X
        The table.
    y
        Its labels.
    labeled
        Which rows are labeled positives.
    train
        Numbers of the training rows.
    test
        Numbers of the held-out rows.
    metrics
        PU metrics to compute on the held-out rows.
    n_members
        Copies to fit, if the estimator has no members of its own.
    prior
        Share of positives among all rows, if it is known.
    scenario
        How the labels came about.
    seed
        Seed of the fit.

    Returns
    -------
    dict
        Agreement, kappa, scores and seconds; ``error`` is None or says what failed.
    """
    start = time.perf_counter()
    X_train, y_train = safe_indexing(X, train), safe_indexing(y, train)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", AgreementWarning)  # the results tell
            warnings.simplefilter("ignore", ConvergenceWarning)
            models = _fit(estimator, parameters, X_train, y_train, n_members, seed)
        seconds = time.perf_counter() - start
        votes = collect_votes(models, X)
        sound = np.flatnonzero(sound_members(votes, labeled))
        agreement = kappa = 0.0
        chosen = models
        if len(sound) > 1:
            matrix = agreement_matrix(votes[sound])
            pair = most_agreeing_pair(matrix)
            agreement, kappa = matrix[pair], mean_of_pairs(kappa_matrix(votes[sound]))
            if len(models) > 1:
                chosen = [models[sound[i]] for i in pair]
        X_test, y_test = safe_indexing(X, test), safe_indexing(y, test)
        scores = {}
        for name in metrics:
            scorer = make_pu_scorer(name, prior=prior, scenario=scenario, warn=False)
            scores[name] = float(np.mean([scorer(model, X_test, y_test) for model in chosen]))
    except (ValueError, TypeError, RuntimeError, ArithmeticError) as error:
        return {"error": f"{type(error).__name__}: {error}"[:500]}
    return {
        "agreement": float(agreement),
        "kappa": float(kappa),
        "n_sound": len(sound),
        **scores,
        "fit_seconds": seconds,
        "error": None,
    }


def _fit(
    estimator: Any, parameters: Mapping[str, Any], X: Any, y: Any, n_members: int, seed: int
) -> list[Any]:
    candidate = clone(estimator).set_params(**parameters)
    if not hasattr(candidate, "member_decisions"):
        return fit_members(candidate, X, y, n_members=n_members, random_state=seed)
    set_seeds(candidate, seed)
    return [candidate.fit(X, y)]
