"""LUHC: a one-class machine on the positives, smooth on the graphs of both kinds of rows."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any, Literal

import numpy as np
from scipy import sparse
from scipy.linalg import cho_factor, cho_solve
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.neighbors import kneighbors_graph
from sklearn.svm import OneClassSVM
from sklearn.utils import check_random_state

from pulps.baselines._shared.tabular import TabularClassifier
from pulps.io._sklearn import Interval, StrOptions
from pulps.tables.encoding import TableEncoder
from pulps.tables.matrix import column_widths, spread_categories

CHUNK = 4096
ROUNDING = 1e-7  # of a height, beside the tolerance of the solver


class LUHCClassifier(TabularClassifier):
    r"""Laplacian unit-hyperplane classifier (LUHC).

    With :math:`f(x) = [k(x, C), 1]\,u` it minimizes

    .. math:: \tfrac12 (c \|u\|^2 + f^\top L f) - \nu \rho
              + \tfrac1{n_P} \sum_{i \in P} \max(0, \rho - f(x_i)) ,

    where *L* is the Laplacian of two neighbor graphs, one of the labeled and one of the
    unlabeled rows, without edges between them. A row is positive if :math:`f(x) > \rho`. At
    most the share :math:`\nu` of the labeled rows ends below :math:`\rho`.

    Parameters
    ----------
    nu : float, default=0.1
        Upper bound of the share of labeled rows that are lost.
    ridge : float, default=1.0
        Weight *c* of the norm.
    gamma : float or "scale", default="scale"
        Width of the Gaussian kernel, :math:`k = \exp(-\gamma \|x - x'\|^2)`; ``"scale"`` is
        one over the total variance of the encoded columns. Results depend on it strongly:
        large values reject all that was not seen.
    n_neighbors : int, default=8
        Neighbors in the graphs.
    threshold : {"kkt", "demo"}, default="kkt"
        ``"kkt"``: :math:`\rho` by the optimality conditions. ``"demo"``: the rule of the
        authors' demonstration code, which takes the entries of *u* for the multipliers; it
        is near zero, and nearly all rows become positive. For comparison with published
        numbers only.
    max_centers : int or None, default=2000
        Largest number of rows the kernel is expanded in; a larger table takes the labeled
        rows and a random part of the others. None takes all rows: memory and time then grow
        with the square and the cube of their number.
    categorical_features : "from_dtype", list or None, default="from_dtype"
        See :class:`~pulps.tables.encoding.TableEncoder`.
    pos_label : object, default=None
        The value of ``y`` that marks a labeled positive; by default the larger number.
    random_state : int, RandomState or None, default=None
        Draws the centers if there are too many.

    Attributes
    ----------
    classes_ : array of shape (2,)
        The value of unlabeled (negative) rows, then that of positive rows.
    centers_ : array
        Rows the kernel is expanded in.
    coefficients_ : array
        *u*, the bias last.
    gamma_ : float
        γ.
    offset_ : float
        ρ.
    multipliers_ : array
        Dual variables of the labeled rows, between 0 and 1 / their number.
    encoder_ : TableEncoder
        The fitted encoder.

    Notes
    -----
    Source: Shao, Chen, Liu and Deng (2015), "Laplacian unit-hyperplane learning from positive
    and unlabeled examples", and the authors' demonstration code; the primal problem above is
    derived from the dual in that code. The dual is that of a one-class SVM with the kernel
    :math:`H (J^\top L J + c I)^{-1} H^\top`, and is solved as such. Left open there, chosen here:

    * The graphs are those of the nearest neighbors, symmetric, with weights 0 and 1; a group
      of fewer rows than neighbors takes all of them.
    * Categories are one-hot, numbers are mapped to the unit interval; a missing category is
      all zeros and a missing number ½.
    * The grid of parameters is not known. Without negatives one can choose by
      :func:`pulps.metrics.lee_liu_score`.
    * Kernel centers are limited, see ``max_centers``.
    * Labeled rows on the margin, :math:`f(x) = \rho`, are positive. Without that, rounding decides
      about them, and tables with many equal rows have many of them.
    * The line of the demo that sets the threshold is known from a description:
      the sum of the entries of *u* in (0, 1 / n_P), divided by the number of rows.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> X, y_true = make_blobs([30, 30], cluster_std=0.5, random_state=0)
    >>> y = (y_true == 1) & (np.arange(60) % 2 == 0)
    >>> model = LUHCClassifier().fit(X, y)
    >>> float((model.predict(X) == y_true).mean()) > 0.9
    True
    """

    _parameter_constraints = {
        **TabularClassifier._parameter_constraints,
        "nu": [Interval(Real, 0, 1, closed="right")],
        "ridge": [Interval(Real, 0, None, closed="neither")],
        "gamma": [Interval(Real, 0, None, closed="neither"), StrOptions({"scale"})],
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "threshold": [StrOptions({"kkt", "demo"})],
        "max_centers": [Interval(Integral, 1, None, closed="left"), None],
    }

    def __init__(
        self,
        *,
        nu: float = 0.1,
        ridge: float = 1.0,
        gamma: float | Literal["scale"] = "scale",
        n_neighbors: int = 8,
        threshold: Literal["kkt", "demo"] = "kkt",
        max_centers: int | None = 2000,
        categorical_features: Sequence[Any] | Literal["from_dtype"] | None = "from_dtype",
        pos_label: Any = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.nu = nu
        self.ridge = ridge
        self.gamma = gamma
        self.n_neighbors = n_neighbors
        self.threshold = threshold
        self.max_centers = max_centers
        self.categorical_features = categorical_features
        self.pos_label = pos_label
        self.random_state = random_state

    def _fit_table(self, X: Any, labeled: np.ndarray) -> None:
        self.encoder_ = TableEncoder(self.categorical_features, "min-max")
        points = dense_features(self.encoder_, self.encoder_.fit_transform(X))
        points = np.concatenate([points[labeled], points[~labeled]])
        n_positive = int(labeled.sum())
        self.gamma_ = 1 / points.var(axis=0).sum() if self.gamma == "scale" else self.gamma
        self.centers_ = self._draw_centers(points, n_positive)

        expanded = self._expand(points)
        laplacian = sparse.block_diag(
            [
                graph_laplacian(points[:n_positive], self.n_neighbors),
                graph_laplacian(points[n_positive:], self.n_neighbors),
            ],
            format="csr",
        )
        smooth = expanded.T @ (laplacian @ expanded)
        smooth[np.diag_indices_from(smooth)] += self.ridge
        positive = expanded[:n_positive]
        carried = cho_solve(cho_factor(smooth, lower=True), positive.T)
        kernel = positive @ carried
        self.multipliers_, self.offset_ = one_class_machine((kernel + kernel.T) / 2, self.nu)
        self.coefficients_ = carried @ self.multipliers_
        if self.threshold == "demo":
            inside = (self.coefficients_ > 0) & (self.coefficients_ < 1 / n_positive)
            self.offset_ = float(self.coefficients_[inside].sum() / len(points))

    def _draw_centers(self, points: np.ndarray, n_positive: int) -> np.ndarray:
        if self.max_centers is None or len(points) <= self.max_centers:
            return points
        rng = check_random_state(self.random_state)
        ranked = np.concatenate([rng.permutation(n_positive), rng.permutation(len(points))])
        first = np.unique(ranked, return_index=True)[1]  # labeled rows come first
        return points[np.sort(ranked[np.sort(first)[: self.max_centers]])]

    def _expand(self, points: np.ndarray) -> np.ndarray:
        kernel = rbf_kernel(points, self.centers_, gamma=self.gamma_)
        return np.column_stack([kernel, np.ones(len(points))])

    def _decide_table(self, X: Any) -> np.ndarray:
        """Height above the threshold."""
        heights = [
            self._expand(dense_features(self.encoder_, values)) @ self.coefficients_
            for values in self.encoder_.transform_chunks(X, CHUNK)
        ]
        return np.concatenate(heights) - self.offset_


def one_class_machine(kernel: np.ndarray, nu: float) -> tuple[np.ndarray, float]:
    """Multipliers and threshold of the one-class machine of a kernel matrix.

    With ν = 1 no multiplier is free, and the threshold is the ν-quantile of the heights. Rows
    whose multiplier is below its bound are not lost: their heights reach the threshold, many of
    them just so where rows are equal. It is lowered by what rounding may take from these.

    Parameters
    ----------
    kernel
        Symmetric kernel matrix of the labeled rows.
    nu
        Upper bound of the share of rows that are lost.

    Returns
    -------
    multipliers, offset
        One multiplier per row, which sum to ν, and the threshold.

    Examples
    --------
    >>> multipliers, offset = one_class_machine(np.diag([1.0, 2.0]), 1.0)
    >>> multipliers, offset
    (array([0.5, 0.5]), 1.0)
    """
    n_rows = len(kernel)
    if nu == 1:
        multipliers = np.full(n_rows, 1 / n_rows)
        return multipliers, float((kernel @ multipliers).max())
    machine = OneClassSVM(kernel="precomputed", nu=nu, tol=1e-8).fit(kernel)
    multipliers = np.zeros(n_rows)
    multipliers[machine.support_] = machine.dual_coef_[0] / n_rows
    offset = float(-machine.intercept_[0] / n_rows)
    not_lost = (kernel @ multipliers)[multipliers < (1 - 1e-6) / n_rows]
    return multipliers, min(offset, float(not_lost.min(initial=offset))) - ROUNDING * abs(offset)


def dense_features(encoder: TableEncoder, values: np.ndarray) -> np.ndarray:
    """One-hot categories beside numbers of the unit interval; missing is zeros, or ½.

    Parameters
    ----------
    encoder
        Fitted.
    values
        Encoded rows, NaN where missing.

    Returns
    -------
    array
        One column per number and per value of a category.
    """
    widths = np.array(column_widths(encoder.columns_))
    cells = spread_categories(values, encoder.columns_)
    return np.where(np.isnan(cells), np.repeat(np.where(widths > 1, 0.0, 0.5), widths), cells)


def graph_laplacian(points: np.ndarray, n_neighbors: int) -> sparse.csr_array:
    """Laplacian of the symmetric graph of nearest neighbors.

    Parameters
    ----------
    points
        Dense rows.
    n_neighbors
        Neighbors of each row; all others where there are fewer.

    Returns
    -------
    sparse array
        Of shape (rows, rows).
    """
    n_neighbors = min(n_neighbors, len(points) - 1)
    if n_neighbors < 1:
        return sparse.csr_array((len(points), len(points)))
    links = sparse.csr_array(kneighbors_graph(points, n_neighbors))
    return sparse.csr_array(sparse.csgraph.laplacian(links.maximum(links.T)))
