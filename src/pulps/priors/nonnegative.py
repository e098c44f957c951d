r"""Non-negative least squares, finished where SciPy stops early.

Weights :math:`v \ge 0` minimize :math:`\|Av - b\|^2` if and only if the slope
:math:`s = A^T(b - Av)` is zero where a weight is positive and at most zero elsewhere. SciPy 1.15
returns weights that break this, without a word, once a weight that it had taken up becomes zero
again; from 1.16 on it does not. So the slope is looked at, and where it is wrong the active-set
method of Lawson and Hanson goes on from there.

C. Lawson and R. Hanson, *Solving Least Squares Problems*, 1974, chapter 23.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import nnls

ROUNDING = 1e-10  # a slope that is nothing, for columns and goals of length one


def nonnegative_weights(system: np.ndarray, goal: np.ndarray) -> np.ndarray:
    """Weights, none below zero, with which columns come nearest to a goal.

    Parameters
    ----------
    system
        Columns to be weighed.
    goal
        What their weighted sum should be.

    Returns
    -------
    weights

    Examples
    --------
    >>> system = np.array([[2.0, 1.0], [1.0, 0.0], [0.0, 1.0]])
    >>> nonnegative_weights(system, np.array([1.0, -1.0, 2.0])).round(3)
    array([0. , 1.5])
    """
    weights, _ = nnls(system, goal, maxiter=20 * system.shape[1])
    return finish(system, goal, weights)


def finish(system: np.ndarray, goal: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Go on from weights to the best ones; return them as they are if none are better.

    Parameters
    ----------
    system, goal
        See :func:`nonnegative_weights`.
    weights
        Where to start; none below zero.

    Returns
    -------
    weights
    """
    nothing = ROUNDING * np.linalg.norm(system, axis=0).max() * np.linalg.norm(goal)
    used = weights > 0
    slope = system.T @ (goal - system @ weights)
    if np.where(used, abs(slope), slope).max() <= nothing:
        return weights
    for _ in range(20 * len(weights)):
        weights, used = _settle(system, goal, weights, used)
        slope = np.where(used, -np.inf, system.T @ (goal - system @ weights))
        if slope.max() <= nothing:
            return weights
        used[np.argmax(slope)] = True
    raise RuntimeError(
        f"No best weights of {len(weights)} columns were found in {20 * len(weights)} steps. "
        "Scale the columns to similar lengths."
    )


def _settle(
    system: np.ndarray, goal: np.ndarray, weights: np.ndarray, used: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Solve for the weights in use; one that would go below zero stops there and is left out."""
    used = used.copy()
    while used.any():
        best = np.zeros(len(weights))
        best[used] = np.linalg.lstsq(system[:, used], goal, rcond=None)[0]
        low = np.flatnonzero(used & (best <= 0))
        if not len(low):
            return best, used
        steps = weights[low] / np.maximum(weights[low] - best[low], np.finfo(float).tiny)
        weights = weights + steps.min() * (best - weights)
        used[low[steps == steps.min()]] = False
        weights = np.where(used, np.maximum(weights, 0.0), 0.0)
    return np.zeros(len(weights)), used
