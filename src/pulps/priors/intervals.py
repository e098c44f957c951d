"""How far an estimate would move with other rows: two ways to find out, one interval.

Scores are cheap to draw again, so what is computed from scores is *bootstrapped*. What needs a
whole new search is repeated on random *parts* of the table instead (the delete-d jackknife):
estimates on a share *f* of the rows vary by 1 / f − 1 times the variance of the whole. Both
account for the randomness of the draw; neither accounts for a method's bias or, with scores,
for the randomness of the classifier that gave them. The interval is normal around the estimate.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.stats import bootstrap, norm

from pulps.io.randomness import new_seed


def interval_around(estimate: float, spread: float, confidence: float) -> tuple[float, float]:
    """Return the normal interval of a share, clipped to [0, 1].

    Parameters
    ----------
    estimate
        A share.
    spread
        Its standard deviation.
    confidence
        Level of the interval, such as 0.9.

    Returns
    -------
    low, high
        Ends of the interval.

    Examples
    --------
    >>> [round(end, 3) for end in interval_around(0.9, 0.1, 0.9)]
    [0.736, 1.0]
    """
    reach = float(norm.ppf((1 + confidence) / 2)) * spread
    return max(0.0, estimate - reach), min(1.0, estimate + reach)


def bootstrap_spread(
    statistic: Callable[[np.ndarray, np.ndarray], float],
    labeled_scores: np.ndarray,
    unlabeled_scores: np.ndarray,
    *,
    n_resamples: int,
    rng: np.random.RandomState,
) -> float:
    """Return the standard deviation of a statistic over resampled scores.

    Parameters
    ----------
    statistic
        Takes labeled and unlabeled scores and returns a number.
    labeled_scores, unlabeled_scores
        One score per row; both are resampled with replacement.
    n_resamples
        Number of resamples.
    rng
        Draws the resamples.

    Returns
    -------
    float
        The standard deviation.
    """
    result = bootstrap(
        (labeled_scores, unlabeled_scores),
        statistic,
        n_resamples=n_resamples,
        method="percentile",
        vectorized=False,
        rng=new_seed(rng),
    )
    return float(result.standard_error)


def parts_spread(
    refit: Callable[[np.ndarray], float],
    labeled: np.ndarray,
    *,
    n_parts: int,
    max_rows: int,
    rng: np.random.RandomState,
) -> float:
    """Return the standard deviation of an estimate, from random parts of the rows.

    Parameters
    ----------
    refit
        Takes row numbers and returns the estimate from these rows.
    labeled
        Boolean, True for a labeled row. A part has the same share of both kinds.
    n_parts
        Number of parts.
    max_rows
        Largest size of a part, which is half of the rows otherwise.
    rng
        Draws the parts.

    Returns
    -------
    float
        The standard deviation, scaled from that over the parts to that of all rows.
    """
    share = min(0.5, max_rows / len(labeled))
    groups = np.flatnonzero(labeled), np.flatnonzero(~labeled)

    def draw() -> np.ndarray:
        parts = (rng.choice(g, max(2, round(share * len(g))), replace=False) for g in groups)
        return np.sort(np.concatenate(list(parts)))

    spread = np.std([refit(draw()) for _ in range(n_parts)], ddof=1)
    return float(spread / np.sqrt(1 / share - 1))
