r"""DILCA: how far apart two categories are, as the other attributes see it.

Two values of an attribute are near if they occur with the values of the other attributes in
the same way. The attributes that count, the *context*, are those with the largest symmetric
uncertainty :math:`SU(X, Y) = 2 (H(X) + H(Y) - H(X, Y)) / (H(X) + H(Y))`, and

.. math:: d(y_a, y_b)^2 = \sum_X \sum_x (P(y_a \mid x) - P(y_b \mid x))^2 / \sum_X |X| .
"""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from pulps.baselines._shared.codes import TableCoder
from pulps.io._sklearn import Interval, StrOptions, fit_context
from pulps.tables.checking import check_columns
from pulps.tables.dependence import MISSING, block, one_hot, pair_counts, pair_entropies


class DilcaDistance(BaseEstimator):
    r"""Distance of rows of a categorical table, learned from the table (DILCA).

    The distance of two rows is the root of the sum of squared distances of their values.

    Parameters
    ----------
    context : {"sigma", "rr"}, default="sigma"
        ``"sigma"``: attributes whose symmetric uncertainty reaches ``sigma`` times the mean.
        ``"rr"``: in falling order, those closer to the attribute than to any kept so far.
    sigma : float, default=1.0
        For ``"sigma"``; smaller values make larger contexts.
    n_bins : int, default=10
        Largest number of bins of a numeric column.
    binning : {"quantile", "uniform"}, default="quantile"
        Bins of equal counts, or of equal width.
    categorical_features : "from_dtype", list or None, default="from_dtype"
        See :class:`~pulps.tables.encoding.TableEncoder`.

    Attributes
    ----------
    distances_ : list of arrays
        Distances of the values of each attribute that varies.
    contexts_ : list of arrays of int
        Context of each attribute.
    coder_ : TableCoder
        Values of each attribute; missing is one of them if the table had it.

    Notes
    -----
    Source: Ienco, Pensa and Meo (2012), "From context to distance: learning dissimilarity for
    categorical data clustering". Done so here: an attribute with an empty context has distance 1
    between different values; a value unseen at fit is at distance 0 from all others, because
    nothing is known about it; attributes that do not vary are left out.

    Examples
    --------
    >>> import pandas as pd
    >>> X = pd.DataFrame({"size": list("sml") * 4, "price": ["low", "low", "high"] * 4})
    >>> DilcaDistance().fit(X).pairwise(X[:3]).round(2)
    array([[0.  , 0.  , 1.27],
           [0.  , 0.  , 1.27],
           [1.27, 1.27, 0.  ]])
    """

    _parameter_constraints = {
        "context": [StrOptions({"sigma", "rr"})],
        "sigma": [Interval(Real, 0, None, closed="left")],
        "n_bins": [Interval(Integral, 2, None, closed="left")],
        "binning": [StrOptions({"quantile", "uniform"})],
        "categorical_features": ["array-like", StrOptions({"from_dtype"}), None],
    }

    def __init__(
        self,
        *,
        context: Literal["sigma", "rr"] = "sigma",
        sigma: float = 1.0,
        n_bins: int = 10,
        binning: Literal["quantile", "uniform"] = "quantile",
        categorical_features: Sequence[Any] | Literal["from_dtype"] | None = "from_dtype",
    ) -> None:
        self.context = context
        self.sigma = sigma
        self.n_bins = n_bins
        self.binning = binning
        self.categorical_features = categorical_features

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the distances of the values of every attribute.

        Parameters
        ----------
        X : table or array of shape (rows, columns)
            pandas, polars or pyarrow table, or a numeric array; NaN and None are missing.
        y
            Not used.

        Returns
        -------
        self
        """
        X = check_columns(self, X, reset=True, min_rows=2)
        self.coder_ = TableCoder(self.categorical_features, self.n_bins, self.binning, "value")
        codes = self.coder_.fit_transform(X)
        self.distances_, self.contexts_ = value_distances(
            codes, self.coder_.n_values_, self.context, self.sigma
        )
        return self

    def pairwise(self, X: Any, Y: Any = None) -> np.ndarray:
        """Compute the distances of all rows of one table to all rows of another.

        Parameters
        ----------
        X, Y : table or array of shape (rows, columns)
            With the columns of the fit; without Y, the distances within X.

        Returns
        -------
        array of shape (rows of X, rows of Y)
        """
        check_is_fitted(self)
        first = self._encode(X)
        second = first if Y is None else self._encode(Y)
        return row_distances(first, second, self.distances_)

    def _encode(self, X: Any) -> np.ndarray:
        return self.coder_.transform(check_columns(self, X, reset=False))


def value_distances(
    codes: np.ndarray, n_values: np.ndarray, context: str, sigma: float
) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Distances of the values of every attribute, and the contexts they come from.

    Parameters
    ----------
    codes
        Rows of codes, −1 where missing.
    n_values
        Number of values of each attribute.
    context
        How contexts are chosen, as in :func:`choose_context`.
    sigma
        How strict the choice is.

    Returns
    -------
    distances, contexts
        A matrix of distances of values, and the positions of the attributes of the context,
        for each attribute.
    """
    counts = pair_counts(codes, n_values)
    uncertainty = symmetric_uncertainty(counts, n_values)
    contexts = [choose_context(uncertainty, t, context, sigma) for t in range(len(n_values))]
    distances = [_distances(counts, n_values, t, c) for t, c in enumerate(contexts)]
    return distances, contexts


def row_distances(
    first: np.ndarray, second: np.ndarray, distances: list[np.ndarray]
) -> np.ndarray:
    """Distances of rows of codes; missing cells add nothing.

    Parameters
    ----------
    first, second
        Rows of codes, −1 where missing.
    distances
        A matrix for each attribute, from :func:`value_distances`.

    Returns
    -------
    array
        Of shape (rows of the first, rows of the second).
    """
    n_values = np.array([len(table) for table in distances])
    left = [
        np.where((column == MISSING)[:, None], 0, table[column] ** 2)
        for column, table in zip(first.T, distances, strict=True)
    ]
    squared = np.hstack(left) @ one_hot(second, n_values).T
    return np.sqrt(np.maximum(squared, 0))


def symmetric_uncertainty(counts: np.ndarray, n_values: np.ndarray) -> np.ndarray:
    """Symmetric uncertainty of all pairs of attributes, 0 with itself.

    Parameters
    ----------
    counts
        How often values occur together, all attributes beside each other on both axes.
    n_values
        Number of values of each attribute.

    Returns
    -------
    array
        Of shape (attributes, attributes), from 0 to 1.
    """
    both, first = pair_entropies(counts, n_values)
    apart = first + first.T
    result = np.divide(2 * (apart - both), apart, out=np.zeros_like(both), where=apart > 0)
    np.fill_diagonal(result, 0)
    return np.maximum(result, 0)


def choose_context(uncertainty: np.ndarray, target: int, context: str, sigma: float) -> np.ndarray:
    """Attributes that tell the values of the target apart.

    Parameters
    ----------
    uncertainty
        From :func:`symmetric_uncertainty`.
    target
        Position of the attribute.
    context
        Name of the rule.
    sigma
        How strict the rule is.

    Returns
    -------
    array
        Positions of attributes.
    """
    others = np.array([k for k in range(len(uncertainty)) if k != target], dtype=int)
    to_target = uncertainty[target, others]
    if not len(others):
        return others
    if context == "sigma":
        return others[(to_target > 0) & (to_target >= sigma * to_target.mean() - 1e-12)]
    kept: list[int] = []
    for k in others[np.argsort(-to_target, kind="stable")]:
        near_kept = uncertainty[k, kept].max() if kept else 0.0
        if uncertainty[k, target] > near_kept:
            kept.append(int(k))
    return np.array(kept, dtype=int)


def _distances(
    counts: np.ndarray, n_values: np.ndarray, target: int, context: np.ndarray
) -> np.ndarray:
    if not len(context):
        return 1.0 - np.eye(n_values[target])
    profiles = np.hstack([_given(block(counts, n_values, target, k)) for k in context])
    differences = profiles[:, None, :] - profiles[None, :, :]
    return np.sqrt((differences**2).sum(axis=2) / profiles.shape[1])


def _given(joint: np.ndarray) -> np.ndarray:
    """P(row | column), for the columns that occur."""
    totals = joint.sum(axis=0)
    return joint[:, totals > 0] / totals[totals > 0]
