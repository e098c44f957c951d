r"""How much columns tell about each other: counts of pairs, entropies, mutual information.

Columns hold codes :math:`0, 1, \dots`, or ``MISSING``. What is computed for all pairs at once
sits in one square matrix of blocks: the rows of block (i, k) are the values of column i, its
columns those of column k; on the diagonal are the counts of single values.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import xlogy

MISSING = -1


def one_hot(codes: np.ndarray, n_values: np.ndarray) -> np.ndarray:
    """Put the indicators of all columns' values side by side, zeros where missing.

    Parameters
    ----------
    codes
        Whole numbers, shape (rows, columns).
    n_values
        Number of values of each column.

    Returns
    -------
    array of shape (rows, sum of n_values)

    Examples
    --------
    >>> one_hot(np.array([[0, 1], [1, MISSING]]), np.array([2, 2]))
    array([[1., 0., 0., 1.],
           [0., 1., 0., 0.]])
    """
    indicators = np.zeros((len(codes), int(n_values.sum())))
    rows, columns = np.nonzero(codes != MISSING)
    indicators[rows, offsets(n_values)[columns] + codes[rows, columns]] = 1
    return indicators


def offsets(n_values: np.ndarray) -> np.ndarray:
    """Where the indicators of each column begin.

    Parameters
    ----------
    n_values
        Number of values of each column.

    Returns
    -------
    array of int
    """
    return np.concatenate([[0], np.cumsum(n_values)[:-1]])


def pair_counts(
    codes: np.ndarray, n_values: np.ndarray, weights: np.ndarray | None = None
) -> np.ndarray:
    """Count all pairs of values, in blocks.

    Parameters
    ----------
    codes, n_values
        As in :func:`one_hot`. A pair of columns counts the rows where both are known.
    weights
        How often each row counts; once by default.

    Returns
    -------
    array of shape (sum of n_values, sum of n_values)
    """
    indicators = one_hot(codes, n_values)
    return (indicators.T if weights is None else indicators.T * weights) @ indicators


def block(counts: np.ndarray, n_values: np.ndarray, first: int, second: int) -> np.ndarray:
    """Cut the table of two columns out of all pairs.

    Parameters
    ----------
    counts, n_values
        From and as in :func:`pair_counts`.
    first, second
        Numbers of the two columns.

    Returns
    -------
    array of shape (values of the first, values of the second)
    """
    starts = offsets(n_values)
    rows = slice(starts[first], starts[first] + n_values[first])
    return counts[rows, starts[second] : starts[second] + n_values[second]]


def pair_entropies(counts: np.ndarray, n_values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Entropies in all pairs of columns: of both together, and of the first by itself.

    Parameters
    ----------
    counts
        From :func:`pair_counts`.
    n_values
        Number of values of each column.

    Returns
    -------
    both, first
        Shape (columns, columns) each, in nats.

    Examples
    --------
    >>> counts = pair_counts(np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), np.array([2, 2]))
    >>> both, first = pair_entropies(counts, np.array([2, 2]))
    >>> (both[0, 1] / np.log(2)).round(6).item(), (first[0, 1] / np.log(2)).round(6).item()
    (2.0, 1.0)
    """
    starts = offsets(n_values)
    firsts = np.add.reduceat(counts, starts, axis=1)
    totals = np.maximum(np.add.reduceat(firsts, starts, axis=0), 1)
    both = np.add.reduceat(np.add.reduceat(xlogy(counts, counts), starts, axis=1), starts, axis=0)
    first = np.add.reduceat(xlogy(firsts, firsts), starts, axis=0)
    return np.log(totals) - both / totals, np.log(totals) - first / totals


def mutual_information(joint: np.ndarray) -> float:
    """Mutual information of a table of probabilities with its own margins, in nats.

    Parameters
    ----------
    joint
        Probabilities, shape (values, values), that sum to one.

    Returns
    -------
    float

    Examples
    --------
    >>> mutual_information(np.full((2, 2), 0.25))
    0.0
    """
    independent = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0)
    ratio = np.divide(joint, independent, out=np.ones_like(joint), where=joint > 0)
    return float(xlogy(joint, ratio).sum())


def pairwise_mutual_information(columns: Sequence[np.ndarray], weights: np.ndarray) -> np.ndarray:
    """Mutual information of every pair of columns, in nats.

    Parameters
    ----------
    columns
        Whole numbers of any size; each distinct one is a value.
    weights
        How often each row counts.

    Returns
    -------
    array of shape (columns, columns)
        The entropies are on the diagonal.

    Examples
    --------
    >>> a, b = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    >>> pairwise_mutual_information([a, a, b], np.ones(4)).round(3)
    array([[0.693, 0.693, 0.   ],
           [0.693, 0.693, 0.   ],
           [0.   , 0.   , 0.693]])
    """
    codes = np.column_stack([np.unique(column, return_inverse=True)[1] for column in columns])
    n_values = codes.max(axis=0) + 1
    joint = pair_counts(codes, n_values, weights) / weights.sum()
    single = joint.diagonal()
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(joint > 0, joint * np.log(joint / np.outer(single, single)), 0.0)
    starts = offsets(n_values)
    return np.add.reduceat(np.add.reduceat(terms, starts, 0), starts, 1)
