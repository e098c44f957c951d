"""How far a score could be off by chance: intervals from resampled rows, for any metric.

Labeled and unlabeled rows are drawn apart, with replacement, as many of each as there are. An
interval says how much a score would change with other rows of the same kind. It does not say how
much it would change with another fit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from pulps.metrics.cumulative import resamples
from pulps.metrics.rows import labeled_rows, weights_of
from pulps.metrics.scorer import METRICS, decision_values, positive_class

Metric = str | Callable[..., float]


class Interval(NamedTuple):
    """A score, and between which numbers it lies in most resamples.

    Parameters
    ----------
    value
        The score on all rows.
    low, high
        Ends of the interval.
    """

    value: float
    low: float
    high: float


class Difference(NamedTuple):
    """How much better one answer is than another, and in which share of the resamples it is.

    Parameters
    ----------
    value
        The difference on all rows.
    low, high
        Ends of the interval.
    chance
        Share of the resamples in which the first answer is better.
    """

    value: float
    low: float
    high: float
    chance: float


def bootstrap_interval(
    metric: Metric,
    y: ArrayLike,
    answers: ArrayLike,
    *,
    level: float = 0.9,
    n_resamples: int = 300,
    random_state: int | np.random.RandomState | None = None,
    sample_weight: ArrayLike | None = None,
    **options: Any,
) -> Interval:
    """Score answers, with an interval.

    Parameters
    ----------
    metric : str or callable
        A name of :func:`make_pu_scorer`, or a function of labels and answers.
    y : array-like
        PU labels: 1 for a labeled positive, 0 or −1 for an unlabeled row.
    answers : array-like
        Predicted classes or scores of the same rows, as the metric wants them.
    level : float
        Share of the resamples that lie in the interval.
    n_resamples : int
        Number of resamples.
    random_state : int, RandomState or None
        Seed of the resamples.
    sample_weight : array-like, optional
        How much each row counts where it is drawn; None counts each once. A row of weight two is
        drawn as one row, so an interval is wider than that of two rows: repeat rows that were
        merely counted together.
    **options
        Passed on to the metric, such as ``prior=0.3``.

    Returns
    -------
    Interval
        ``value``, ``low`` and ``high``.

    Examples
    --------
    >>> y, score = np.repeat([1, 0], [20, 80]), np.repeat([1.0, 0.0, 1.0], [15, 65, 20])
    >>> found = bootstrap_interval("recall", y, score, threshold=0.5, random_state=0)
    >>> found.value, found.low < 0.75 < found.high
    (0.75, True)
    """
    given = np.asarray(answers)
    score, labeled, rows = _scored_rows(scored(metric, options), y, sample_weight)
    drawn = [score(given, rows[some]) for some in drawn_rows(labeled, n_resamples, random_state)]
    return Interval(score(given, rows), *bounds(drawn, level))


def bootstrap_difference(
    metric: Metric,
    y: ArrayLike,
    first: ArrayLike,
    second: ArrayLike,
    *,
    level: float = 0.9,
    n_resamples: int = 300,
    random_state: int | np.random.RandomState | None = None,
    sample_weight: ArrayLike | None = None,
    **options: Any,
) -> Difference:
    """Tell how much better one answer is than another, on the same resamples.

    Parameters
    ----------
    metric, y
        As in :func:`bootstrap_interval`.
    first, second : array-like
        Two answers for the same rows.
    level, n_resamples, random_state, sample_weight
        As in :func:`bootstrap_interval`.
    **options
        Passed on to the metric.

    Returns
    -------
    Difference
        ``value``, ``low`` and ``high`` of the first less the second, and ``chance``, the share
        of the resamples in which the first is better; a tie counts one half.

    Examples
    --------
    >>> y = np.repeat([1, 0], [20, 80])
    >>> found = bootstrap_difference("roc_auc", y, y, -y, n_resamples=50, random_state=0)
    >>> found.value, found.chance
    (1.0, 1.0)
    """
    one, other = np.asarray(first), np.asarray(second)
    score, labeled, rows = _scored_rows(scored(metric, options), y, sample_weight)

    def difference(chosen: np.ndarray) -> float:
        return score(one, chosen) - score(other, chosen)

    resampled = drawn_rows(labeled, n_resamples, random_state)
    drawn = np.array([difference(rows[some]) for some in resampled])
    chance = float((drawn > 0).mean() + (drawn == 0).mean() / 2)
    return Difference(difference(rows), *bounds(drawn, level), chance)


def _scored_rows(
    score: Callable[..., float], y: ArrayLike, sample_weight: ArrayLike | None
) -> tuple[Callable[[np.ndarray, np.ndarray], float], np.ndarray, np.ndarray]:
    """How to score answers on some rows, which rows are labeled, and which count at all.

    Without weights a metric need not know of any.
    """
    labeled = labeled_rows(y)
    labels, rows = labeled.astype(int), np.arange(len(labeled))
    if sample_weight is None:
        return lambda answers, some: score(labels[some], answers[some]), labeled, rows
    weights = weights_of(labeled, sample_weight)
    rows = rows[weights > 0]

    def weighted(answers: np.ndarray, some: np.ndarray) -> float:
        return score(labels[some], answers[some], sample_weight=weights[some])

    return weighted, labeled[rows], rows


def estimator_interval(
    estimator: Any,
    X: Any,
    y: ArrayLike,
    metric: str = "roc_auc",
    *,
    level: float = 0.9,
    n_resamples: int = 300,
    random_state: int | np.random.RandomState | None = None,
    sample_weight: ArrayLike | None = None,
    **options: Any,
) -> Interval:
    """Score a fitted estimator, with an interval.

    Parameters
    ----------
    estimator
        Any fitted classifier with ``predict``, and ``decision_function`` or ``predict_proba``
        if the metric is one of scores.
    X : table or array
        Rows that the estimator has not seen.
    y : array-like
        Their PU labels, in the values of the estimator's ``classes_``.
    metric : str
        A name of :func:`make_pu_scorer`.
    level, n_resamples, random_state, sample_weight
        As in :func:`bootstrap_interval`.
    **options
        Passed on to the metric, such as ``prior=0.3``.

    Returns
    -------
    Interval
        ``value``, ``low`` and ``high``.
    """
    scored(metric, options)  # refuses an unknown name
    if METRICS[metric].of == "classes":
        answers = positive_class(estimator, estimator.predict(X))
    else:
        answers = decision_values(estimator, X)
    return bootstrap_interval(
        metric,
        positive_class(estimator, y),
        answers,
        level=level,
        n_resamples=n_resamples,
        random_state=random_state,
        sample_weight=sample_weight,
        **options,
    )


def scored(metric: Metric, options: dict[str, Any]) -> Callable[..., float]:
    """Return a function of labels, answers and perhaps weights, larger being better.

    Parameters
    ----------
    metric
        A name, or a function.
    options
        What else it takes.

    Returns
    -------
    callable
    """
    if not isinstance(metric, str):
        function = metric
        return lambda y, answers, **more: float(function(y, answers, **options, **more))
    if metric not in METRICS:
        raise ValueError(
            f"metric is {metric!r}; it must be a function or one of {', '.join(METRICS)}."
        )
    known = METRICS[metric]
    return lambda y, answers, **more: float(
        known.sign * known.function(y, answers, **options, **more)
    )


def drawn_rows(
    labeled: np.ndarray, n_resamples: int, random_state: int | np.random.RandomState | None = None
) -> Iterator[np.ndarray]:
    """Draw row numbers of resamples, labeled and unlabeled rows apart.

    Parameters
    ----------
    labeled
        Which rows are labeled.
    n_resamples
        How many resamples.
    random_state
        Seed or generator.

    Yields
    ------
    array of int
    """
    every = np.arange(len(labeled))
    for times in resamples(labeled, n_resamples, random_state):
        yield np.repeat(every, times.astype(int))


def bounds(drawn: ArrayLike, level: float) -> tuple[float, float]:
    """Between which numbers a share of the draws lies, as many below as above.

    Parameters
    ----------
    drawn
        Scores of resamples.
    level
        The share, between 0 and 1.

    Returns
    -------
    low, high

    Examples
    --------
    >>> bounds(np.arange(101), 0.5)
    (25.0, 75.0)
    """
    if not 0 < level < 1:
        raise ValueError(f"level is {level}; it must lie between 0 and 1, such as 0.9.")
    low, high = np.quantile(np.asarray(drawn, dtype=float), [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)
