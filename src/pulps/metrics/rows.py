"""What every score from PU labels needs to know: which rows are labeled, which the population."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from pulps.labels import share_among_unlabeled

Scenario = Literal["single-training-set", "case-control"]


def predicted_positive_rate(
    y: ArrayLike, y_pred: ArrayLike, *, scenario: Scenario = "single-training-set"
) -> float:
    """Estimate the share of the population that is predicted positive.

    Parameters
    ----------
    y : array-like of {0, 1}
        PU labels.
    y_pred : array-like of {0, 1}
        Predicted classes.
    scenario : {"single-training-set", "case-control"}
        How the rows were drawn.

    Returns
    -------
    float
        In [0, 1].
    """
    labeled, positive = labeled_and_positive(y, y_pred)
    return float(positive[population(labeled, scenario)].mean())


def prior_of_unlabeled(
    y: ArrayLike, *, prior: float, scenario: Scenario = "single-training-set"
) -> float:
    """Find the share of positives among the unlabeled rows from that in the population.

    Parameters
    ----------
    y : array-like of {0, 1}
        PU labels.
    prior : float
        Share of positives in the population. If it says that fewer rows are positive than
        are labeled, no unlabeled row is taken for positive.
    scenario : {"single-training-set", "case-control"}
        How the rows were drawn.

    Returns
    -------
    float
        In [0, 1].

    Examples
    --------
    >>> prior_of_unlabeled([1, 1, 0, 0, 0, 0, 0, 0, 0, 0], prior=0.6)
    0.5
    """
    labeled = labeled_rows(y)
    prior = checked_prior(prior)
    population(labeled, scenario)  # refuses an unknown scenario
    return clip(share_among_unlabeled(prior, labeled, scenario, clip=True))


def labeled_rows(y: ArrayLike) -> np.ndarray:
    """Read PU labels, True where a row is labeled; refuse anything else.

    Parameters
    ----------
    y
        PU labels: 1 for a labeled positive, 0 for an unlabeled row.

    Returns
    -------
    array
        Boolean, True for a labeled row.
    """
    labels = np.asarray(y)
    if not np.isin(labels, [0, 1]).all():
        raise ValueError(
            f"y has values {_first_values(labels)}; PU labels are 1 (labeled positive) "
            "and 0 (unlabeled), not missing. Convert them, for example with "
            "(y == your_label).astype(int)."
        )
    labeled = labels.astype(bool)
    if labeled.all() or not labeled.any():
        raise ValueError(
            f"y has {int(labeled.sum())} labeled rows of {len(labeled)}; a score from PU labels "
            "needs labeled and unlabeled rows. Score a part of the data that has both."
        )
    return labeled


def _first_values(values: np.ndarray) -> list:
    """List a few distinct values, which need not have an order."""
    return list(dict.fromkeys(values.ravel().tolist()))[:5]


def labeled_and_positive(y: ArrayLike, y_pred: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    """Read PU labels and predicted classes.

    Parameters
    ----------
    y
        PU labels: 1 for a labeled positive, 0 for an unlabeled row.
    y_pred
        Predicted classes of the same rows: 1 for positive, 0 for negative.

    Returns
    -------
    labeled, predicted
        Boolean arrays, True for a labeled row and for a row predicted positive.
    """
    labeled, predicted = labeled_rows(y), np.asarray(y_pred)
    if predicted.shape != labeled.shape or not np.isin(predicted, [0, 1]).all():
        raise ValueError(
            f"y_pred has shape {predicted.shape} and values {_first_values(predicted)}; "
            f"expected shape {labeled.shape} and the values 0 and 1. Pass predicted classes of "
            "the same rows, not scores."
        )
    return labeled, predicted.astype(bool)


def population(labeled: np.ndarray, scenario: Scenario) -> np.ndarray:
    """Tell which rows are a sample of the population.

    Parameters
    ----------
    labeled
        Boolean, True for a labeled row.
    scenario
        How the rows were drawn: ``"single-training-set"`` or ``"case-control"``.

    Returns
    -------
    array
        Boolean: True for all rows of a single training set, for the unlabeled ones otherwise.
    """
    if scenario == "single-training-set":
        return np.ones_like(labeled)
    if scenario == "case-control":
        return ~labeled
    raise ValueError(
        f'scenario is {scenario!r}; use "single-training-set" (labels were given to rows of one '
        'sample) or "case-control" (labeled and unlabeled rows were drawn apart).'
    )


def checked_prior(prior: float) -> float:
    """Refuse a number that is not a share of positives.

    Parameters
    ----------
    prior
        Share of positives.

    Returns
    -------
    float
        The same number.
    """
    if not 0 < prior < 1:
        raise ValueError(f"prior is {prior}; the share of positives must lie between 0 and 1.")
    return prior


def clip(value: float) -> float:
    """Bring an estimate of a share back to [0, 1].

    Parameters
    ----------
    value
        An estimate, which may lie outside of [0, 1].

    Returns
    -------
    float
        The nearest number in [0, 1].
    """
    return float(min(max(value, 0.0), 1.0))
