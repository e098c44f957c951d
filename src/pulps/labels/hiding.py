"""Positive labels are hidden, to simulate a problem whose truth is known."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
from scipy.special import expit

from pulps.labels.shares import SCENARIOS


def hide_labels(
    y_true: Any,
    *,
    label_frequency: float | None = None,
    n_labeled: int | None = None,
    mechanism: str = "scar",
    X: Any = None,
    scenario: str = "single-training-set",
    random_state: int | np.random.RandomState | None = None,
) -> Any:
    """Keep some positive labels and hide all others, to simulate a PU problem.

    Parameters
    ----------
    y_true
        The truth: 1 or True for a positive row, anything else for a negative one.
    label_frequency
        Share of the positives that stays labeled (c of Bekker and Davis).
    n_labeled
        Number of positives that stay labeled, instead of the share.
    mechanism
        ``"scar"``: every positive is equally likely to be labeled. ``"sar"``: the odds
        rise along the first principal direction of ``X`` among the positives, so that the
        labeled rows are a biased sample.
    X
        Attributes, needed for ``"sar"``: a numeric array without missing values.
    scenario
        ``"single-training-set"``: the labeled rows are no longer among the unlabeled ones;
        the result has one entry per row. ``"case-control"``: the labeled rows are an extra
        sample; the result, row numbers and labels, names each labeled row twice, once as
        labeled and once as unlabeled.
    random_state
        Seed or generator.

    Returns
    -------
    y or (rows, y)
        Labels, 1 for labeled and 0 for unlabeled; in ``"case-control"`` preceded by the
        numbers of the rows they belong to.

    Examples
    --------
    >>> hide_labels([1, 1, 1, 1, 0, 0], label_frequency=0.5, random_state=0)
    array([0, 0, 1, 1, 0, 0])
    >>> rows, y = hide_labels([1, 0], n_labeled=1, scenario="case-control")
    >>> rows, y
    (array([0, 0, 1]), array([1, 0, 0]))
    """
    from sklearn.utils import check_random_state

    rng = check_random_state(random_state)
    y_true = np.asarray(y_true)
    positives = np.flatnonzero(y_true == 1)
    if len(positives) == 0:
        raise ValueError(
            f"y_true has no positive row among its {len(y_true)}: it holds "
            f"{np.unique(y_true)[:5].tolist()}. Mark the positive class with 1."
        )
    keep = _number_to_keep(len(positives), label_frequency, n_labeled)
    if mechanism == "scar":
        odds = None
    elif mechanism == "sar":
        odds = _propensity(X, positives)
    else:
        raise ValueError(f"mechanism is {mechanism!r}; it must be 'scar' or 'sar'.")
    chosen = rng.choice(positives, keep, replace=False, p=odds)
    if scenario == "single-training-set":
        y = np.zeros(len(y_true), dtype=int)
        y[chosen] = 1
        return y
    if scenario == "case-control":
        rows = np.concatenate([np.sort(chosen), np.arange(len(y_true))])
        return rows, np.repeat([1, 0], [keep, len(y_true)])
    raise ValueError(f"scenario is {scenario!r}; it must be one of {SCENARIOS}.")


def _number_to_keep(n_positives: int, label_frequency: Any, n_labeled: Any) -> int:
    if (label_frequency is None) == (n_labeled is None):
        raise ValueError("Pass either label_frequency or n_labeled, and not both.")
    if label_frequency is not None:
        if not (isinstance(label_frequency, Real) and 0 < float(label_frequency) <= 1):
            raise ValueError(f"label_frequency is {label_frequency!r}; it must be in (0, 1].")
        return max(1, round(float(label_frequency) * n_positives))
    if not (isinstance(n_labeled, Integral) and 1 <= int(n_labeled) <= n_positives):
        raise ValueError(
            f"n_labeled is {n_labeled!r}; it must be a whole number from 1 to the "
            f"{n_positives} positives there are."
        )
    return int(n_labeled)


def _propensity(X: Any, positives: np.ndarray) -> np.ndarray:
    """Odds that grow along the first principal direction of the positives."""
    if X is None:
        raise ValueError("mechanism='sar' labels by attributes: pass X, a numeric array.")
    X = np.asarray(X, dtype=float)[positives]
    centered = X - X.mean(axis=0)
    direction = np.linalg.svd(centered, full_matrices=False)[2][0]
    score = centered @ (direction * np.sign(direction[np.abs(direction).argmax()]))
    odds = expit(3 * score / (score.std() or 1.0))
    return odds / odds.sum()
