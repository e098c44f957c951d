r"""TIcE (Bekker and Davis 2018): a tree looks for a region where most rows are labeled.

In any region of the attributes the labeled share of the rows is at most *c*, the labeled
share of the table's positives (:mod:`pulps.priors.label_share`), because some rows of the
region may be negative. So every region bounds *c* from below. With *T* rows of which *L* are
labeled, Cantelli's inequality says that with probability 1 − δ

.. math:: c \;\ge\; \frac{L}{T} - \sqrt{\frac{c (1 - c)}{T} \, \frac{1 - \delta}{\delta}}.

A decision tree grown best first on one part of the rows proposes regions; each bounds *c* by
the other rows that fall into it, and the largest bound is taken. The parts are folds, the
answers are averaged, and as the bound itself needs *c*, all is done twice: with one half,
then with the first answer. A lower bound of *c* is an upper bound of the share of positives,
:math:`\pi_U = (n_L / n_U) (1 - c) / c`, in either scenario. Two errors work
against each other: the bound is too low in small regions, but the largest of many is picked.

Numbers are cut at quarters of their ranks, where the paper cuts their range: outliers then
do not matter. A category is a piece of its own, and so are missing cells; an attribute is
used once on a path.

J. Bekker and J. Davis, *Estimating the class prior in positive and unlabeled data through
decision tree induction*, AAAI 2018.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from itertools import count
from numbers import Integral, Real
from typing import Any, Literal

import numpy as np
from sklearn.model_selection import StratifiedKFold

from pulps.io._sklearn import Interval, StrOptions
from pulps.priors.estimator import Estimate, PriorEstimator
from pulps.priors.intervals import interval_around, parts_spread
from pulps.priors.label_share import prior_from_label_share
from pulps.tables.columns import CategoricalColumn
from pulps.tables.encoding import TableEncoder

MAX_ROWS_PER_PART = 1000


Region = tuple[float, int, int, int]  # the bound, rows, labeled rows, splits until it


class Pieces:
    """A table cut into pieces: which piece of each attribute every row belongs to."""

    def __init__(
        self,
        X: Any,
        categorical_features: Sequence[Any] | Literal["from_dtype"] | None,
        n_pieces: int,
    ):
        encoder = TableEncoder(categorical_features, numeric_scale="rank")
        values = encoder.fit_transform(X)
        sizes = []
        for index, column in enumerate(encoder.columns_):
            if isinstance(column, CategoricalColumn):
                size = len(column.categories)
            else:
                size = n_pieces
                values[:, index] = np.floor(values[:, index] * size).clip(max=size - 1)
            missing = np.isnan(values[:, index])
            values[missing, index] = size
            sizes.append(size + bool(missing.any()))
        self.first = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(int)
        self.codes = values.astype(int) + self.first
        self.n_total = int(sum(sizes))

    def count(self, rows: np.ndarray) -> np.ndarray:
        """Count the rows in each piece of each attribute.

        Parameters
        ----------
        rows
            Row numbers.

        Returns
        -------
        array
            One count per piece, for all attributes in a line.
        """
        return np.bincount(self.codes[rows].ravel(), minlength=self.n_total)

    def largest(self, values: np.ndarray) -> np.ndarray:
        """Largest value over the pieces of each attribute.

        Parameters
        ----------
        values
            One value per piece, for all attributes in a line.

        Returns
        -------
        array
            One value per attribute.
        """
        return np.maximum.reduceat(values, self.first)

    def split(self, rows: np.ndarray, attribute: int, piece: int) -> np.ndarray:
        """Rows in one piece of an attribute.

        Parameters
        ----------
        rows
            Row numbers to choose from.
        attribute
            Number of the attribute.
        piece
            Number of the piece, counted over the pieces of all attributes.

        Returns
        -------
        array
            Row numbers.
        """
        return rows[self.codes[rows, attribute] == piece]


class TIcE(PriorEstimator):
    """Estimate the share of positives from the region where most rows are labeled.

    Needs no classifier. See :mod:`pulps.priors.tice`.

    Parameters
    ----------
    cv : int, default=5
        Number of folds. In turn, each grows a tree, and the others bound the label share.
    delta : float or None, default=None
        Chance that a single bound is wrong; None takes the paper's
        max(0.025, 1 / (1 + 0.004 T)) for *T* rows that bound.
    max_splits : int, default=500
        Largest number of splits of a tree.
    min_rows : int, default=10
        Smaller regions give no bound and are not split.
    shrinkage : float, default=5
        A split is as good as the largest L / (T + ``shrinkage``) of its pieces.
    n_pieces : int, default=4
        Pieces of a numeric attribute.
    n_parts : int, default=10
        Parts of the table on which the estimate is repeated for the interval.
    categorical_features : "from_dtype", list or None, default="from_dtype"
        See :class:`~pulps.tables.encoding.TableEncoder`.
    scenario : {"single-training-set", "case-control"}, default="single-training-set"
        How the rows were drawn; decides what ``prior_`` and ``label_frequency_`` are.
    pos_label : object, default=None
        The value of ``y`` that marks a labeled positive; by default the larger number.
    confidence : float, default=0.9
        Level of ``interval_``.
    random_state : int, RandomState or None, default=None
        Seed of folds and parts.

    Attributes
    ----------
    prior_ : float
        Share of positives in the population.
    prior_of_unlabeled_ : float
        Share of positives among the unlabeled rows.
    label_frequency_ : float
        Chance of a positive to be labeled; NaN in case-control.
    interval_ : (float, float)
        For ``prior_of_unlabeled_``: normal, from estimates on random halves of the table.
    diagnostics_ : dict
        Counts of rows; ``label_share`` (c), its bound in each fold of the second round,
        ``fold_bounds``, with the rows ``region_rows`` and labeled rows ``region_labeled``
        of the region that gave it; ``n_splits`` of each tree.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> X, y_true = make_blobs(600, centers=[[0, 0], [6, 6]], random_state=0)
    >>> y = np.where(np.arange(600) % 2 == 0, y_true, 0)
    >>> model = TIcE(random_state=0).fit(X, y)
    >>> abs(model.prior_ - 0.5) < 0.1
    True
    """

    _parameter_constraints = {
        **PriorEstimator._parameter_constraints,
        "cv": [Interval(Integral, 2, None, closed="left")],
        "delta": [Interval(Real, 0, 1, closed="neither"), None],
        "max_splits": [Interval(Integral, 1, None, closed="left")],
        "min_rows": [Interval(Integral, 1, None, closed="left")],
        "shrinkage": [Interval(Real, 0, None, closed="left")],
        "n_pieces": [Interval(Integral, 2, None, closed="left")],
        "n_parts": [Interval(Integral, 2, None, closed="left")],
        "categorical_features": ["array-like", StrOptions({"from_dtype"}), None],
    }

    def __init__(
        self,
        *,
        cv: int = 5,
        delta: float | None = None,
        max_splits: int = 500,
        min_rows: int = 10,
        shrinkage: float = 5,
        n_pieces: int = 4,
        n_parts: int = 10,
        categorical_features: Sequence[Any] | Literal["from_dtype"] | None = "from_dtype",
        scenario: Literal["single-training-set", "case-control"] = "single-training-set",
        pos_label: Any = None,
        confidence: float = 0.9,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.cv = cv
        self.delta = delta
        self.max_splits = max_splits
        self.min_rows = min_rows
        self.shrinkage = shrinkage
        self.n_pieces = n_pieces
        self.n_parts = n_parts
        self.categorical_features = categorical_features
        self.scenario = scenario
        self.pos_label = pos_label
        self.confidence = confidence
        self.random_state = random_state

    def _estimate(self, X: Any, labeled: np.ndarray, rng: np.random.RandomState) -> Estimate:
        pieces = Pieces(X, self.categorical_features, self.n_pieces)

        def search(rows: np.ndarray) -> tuple[float, float, list[Region]]:
            found = self._two_rounds(pieces, labeled, rows, rng)
            share = float(np.mean([bound for bound, *_ in found]))
            n_labeled = int(labeled[rows].sum())
            n_unlabeled = len(rows) - n_labeled
            prior = prior_from_label_share(share, n_labeled=n_labeled, n_unlabeled=n_unlabeled)
            return prior, share, found

        prior, share, found = search(np.arange(len(labeled)))
        spread = parts_spread(
            lambda rows: search(rows)[0],
            labeled,
            n_parts=self.n_parts,
            max_rows=MAX_ROWS_PER_PART,
            rng=rng,
        )
        interval = interval_around(prior, spread, self.confidence)
        names = ("fold_bounds", "region_rows", "region_labeled", "n_splits")
        columns = dict(zip(names, map(list, zip(*found, strict=True)), strict=True))
        return Estimate(prior, interval, {"label_share": share, **columns})

    def _two_rounds(
        self, pieces: Pieces, labeled: np.ndarray, rows: np.ndarray, rng: np.random.RandomState
    ) -> list[Region]:
        """Bound the label share in every fold, with one half and then with the answer."""
        n_folds = min(self.cv, int(labeled[rows].sum()), int((~labeled[rows]).sum()))
        folds = StratifiedKFold(n_folds, shuffle=True, random_state=rng)
        parts = [(rows[grow], rows[bound]) for bound, grow in folds.split(rows, labeled[rows])]
        share = 0.5
        for _ in range(2):
            found = [self._grow(pieces, labeled, *part, share) for part in parts]
            share = float(np.clip(np.mean([bound for bound, *_ in found]), 0.0, 1.0))
        return found

    def _grow(
        self,
        pieces: Pieces,
        labeled: np.ndarray,
        growing: np.ndarray,
        bounding: np.ndarray,
        share: float,
    ) -> Region:
        """Grow one tree; return the largest bound, its region and the number of splits."""
        delta = self.delta or max(0.025, 1 / (1 + 0.004 * len(bounding)))
        margin = share * (1 - share) * (1 - delta) / delta
        n_all = int(labeled[bounding].sum())
        best = (n_all / len(bounding), len(bounding), n_all)
        order = count()
        columns = np.ones(pieces.codes.shape[1], dtype=bool)
        queue = [(0.0, next(order), growing, bounding, columns)]
        n_splits = 0
        while queue and n_splits < self.max_splits:
            _, _, grow, bound, columns = heapq.heappop(queue)
            n_splits += 1
            enough = margin / max(1 - best[0], 1e-9) ** 2  # labeled rows that could beat the best
            n_grow, n_grow_labeled = pieces.count(grow), pieces.count(grow[labeled[grow]])
            n_bound, n_bound_labeled = pieces.count(bound), pieces.count(bound[labeled[bound]])
            columns = columns & (pieces.largest(n_bound_labeled) >= max(enough, 1))
            gain = pieces.largest(n_grow_labeled / np.maximum(n_grow + self.shrinkage, 1e-9))
            gain[~columns | (pieces.largest(n_bound) == len(bound))] = 0.0
            chosen = int(np.argmax(gain))
            if gain[chosen] <= 0:
                continue
            left = columns.copy()
            left[chosen] = False
            last = [*pieces.first, pieces.n_total][chosen + 1]
            for piece in range(pieces.first[chosen], last):
                rows, n_labeled = int(n_bound[piece]), int(n_bound_labeled[piece])
                if rows >= self.min_rows:
                    lower = n_labeled / rows - np.sqrt(margin / rows)
                    best = max(best, (float(lower), rows, n_labeled))
                pure = n_grow_labeled[piece] in (0, n_grow[piece])
                if n_grow[piece] > self.min_rows and n_labeled > enough and not pure:
                    promise = n_grow_labeled[piece] / n_grow[piece] - np.sqrt(
                        margin / n_grow[piece]
                    )
                    parts = (pieces.split(part, chosen, piece) for part in (grow, bound))
                    heapq.heappush(queue, (-promise, next(order), *parts, left))
        return *best, n_splits
