r"""Shares of positives in the population and among unlabeled rows.

The *scenario* says how they are related:

* ``"single-training-set"``: all rows are a sample of the population, and labeling has taken
  positives out of the unlabeled ones, so :math:`\pi \, n = n_L + \pi_U n_U`.
* ``"case-control"``: the unlabeled rows alone are a sample of the population, so
  :math:`\pi = \pi_U`; how many labeled rows come with them was somebody's choice.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

SCENARIOS = ("single-training-set", "case-control")


def share_among_unlabeled(
    prior: float,
    labeled: np.ndarray,
    scenario: str,
    *,
    weights: np.ndarray | None = None,
    clip: bool = False,
) -> float:
    r"""Share of positives among the unlabeled rows, :math:`\pi_U`, from that in the population.

    Parameters
    ----------
    prior
        Share of positives in the population, :math:`\pi`.
    labeled
        Boolean, True for a labeled row.
    scenario
        How the rows were drawn, one of ``SCENARIOS``.
    weights
        Weight of each row: one that weighs two counts as two rows. None weighs all alike.
    clip
        What to do with a prior that says fewer rows are positive than are labeled: return
        zero, or raise an error.

    Returns
    -------
    float
        The share; in the case-control scenario, the prior itself.

    Examples
    --------
    >>> share_among_unlabeled(0.5, np.arange(100) < 20, "single-training-set")
    0.375
    """
    if scenario == "case-control":
        return float(prior)
    n_rows: float = len(labeled)
    n_labeled: float = int(labeled.sum())
    if weights is not None:  # a row that weighs two counts as two rows
        n_rows, n_labeled = float(weights.sum()), float(weights[labeled].sum())
    hidden = prior * n_rows - n_labeled
    if not clip and hidden < -1e-9 * n_rows:  # the labeled share as prior may be rounded down
        raise ValueError(
            f"prior={prior} says that {prior * n_rows:.0f} of {n_rows:g} rows are positive, but "
            f"{n_labeled:g} are labeled. Pass a larger prior, have it estimated, or pass "
            "scenario='case-control' if the labeled rows are an extra sample."
        )
    return float(max(hidden, 0.0) / (n_rows - n_labeled))


class Shares(NamedTuple):
    """Share of positives in the population and among unlabeled rows; label frequency.

    Numbers, or arrays of them.

    Parameters
    ----------
    prior
        Share of positives in the population.
    prior_of_unlabeled
        Share of positives among the unlabeled rows.
    label_frequency
        Chance of a positive to be labeled; NaN in case-control.
    """

    prior: Any
    prior_of_unlabeled: Any
    label_frequency: Any


def shares_of(
    prior_of_unlabeled: Any, *, n_labeled: float, n_unlabeled: float, scenario: str
) -> Shares:
    r"""Find all three shares from that of positives among the unlabeled rows.

    In a single training set :math:`\pi = (n_L + \pi_U n_U) / (n_L + n_U)`, and the label
    frequency, the chance of a positive to be labeled, is :math:`c = n_L / (n_L + \pi_U n_U)`.
    In case-control there is no such chance.

    Parameters
    ----------
    prior_of_unlabeled
        Share of positives among the unlabeled rows, or an array of such shares.
    n_labeled, n_unlabeled
        Numbers of rows.
    scenario
        How the rows were drawn, one of ``SCENARIOS``.

    Returns
    -------
    Shares

    Examples
    --------
    >>> shares_of(0.25, n_labeled=100, n_unlabeled=400, scenario="single-training-set")
    Shares(prior=0.4, prior_of_unlabeled=0.25, label_frequency=0.5)
    >>> shares_of(0.25, n_labeled=100, n_unlabeled=400, scenario="case-control")
    Shares(prior=0.25, prior_of_unlabeled=0.25, label_frequency=nan)
    """
    if scenario == "case-control":
        return Shares(prior_of_unlabeled, prior_of_unlabeled, float("nan"))
    if scenario != "single-training-set":
        raise ValueError(f"scenario is {scenario!r}; it must be one of {SCENARIOS}.")
    n_positive = n_labeled + prior_of_unlabeled * n_unlabeled
    return Shares(
        n_positive / (n_labeled + n_unlabeled), prior_of_unlabeled, n_labeled / n_positive
    )


def every_nth(n_rows: int, enough: int) -> np.ndarray:
    """Row numbers of an even subsample: every *n*-th row, at most ``enough`` of them.

    Parameters
    ----------
    n_rows
        Number of rows.
    enough
        Largest number of rows to take.

    Returns
    -------
    array
        Increasing row numbers.

    Examples
    --------
    >>> every_nth(10, 4)
    array([0, 3, 6, 9])
    """
    return np.arange(0, n_rows, 1 + n_rows // enough)


def labeled_to_keep(labeled: np.ndarray, most: int) -> int:
    """How many labeled rows stay in a subsample of at most ``most`` rows.

    All of them, as long as they are no more than half of it; more than half only where the
    unlabeled rows are too few to fill the rest.

    Parameters
    ----------
    labeled
        Boolean, True for a labeled row.
    most
        Largest size of the subsample.

    Returns
    -------
    int
        Number of labeled rows.

    Examples
    --------
    >>> [labeled_to_keep(np.arange(100) < n, 20) for n in (5, 50, 95)]
    [5, 10, 15]
    """
    n_labeled = int(labeled.sum())
    return min(n_labeled, max(most // 2, most - (len(labeled) - n_labeled)))
