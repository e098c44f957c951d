"""Pulce: reliable negatives are far from the positives in a learned distance; then neighbors."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any, Literal

import numpy as np
from sklearn.utils.validation import check_is_fitted

from pulps.baselines._shared.codes import TableCoder
from pulps.baselines._shared.tabular import TabularClassifier
from pulps.baselines.others.dilca import row_distances, value_distances
from pulps.io._sklearn import Interval, StrOptions

CHUNK = 1024


class PulceClassifier(TabularClassifier):
    r"""Nearest neighbors in a distance learned from the positives (Pulce).

    A DILCA distance is learned from the labeled rows. Unlabeled rows farther from them than
    the threshold are reliable negatives, from which a second distance is learned. A row is
    positive if its nearest labeled rows, in the first distance, are nearer than its nearest
    reliable negatives, in the second.

    Parameters
    ----------
    n_neighbors : int, default=5
        Neighbors whose mean distance counts.
    context : {"sigma", "rr"}, default="sigma"
        How DILCA chooses contexts, see :class:`~pulps.baselines.DilcaDistance`.
    sigma : float, default=1.0
        For ``"sigma"``.
    threshold : {"mean_unlabeled", "mean_positive", "top_n"}, default="mean_unlabeled"
        Reliable negatives are the unlabeled rows whose mean distance to the labeled ones is
        above that of all unlabeled rows, above that of the labeled rows themselves, or the
        farthest ones, as many as there are labeled rows.
    models : {"two", "joint"}, default="two"
        Two distances, or one learned from labeled rows and reliable negatives together and a
        vote of the neighbors.
    n_bins : int, default=10
        Largest number of bins of a numeric column.
    binning : {"quantile", "uniform"}, default="quantile"
        Bins of equal counts, or of equal width.
    categorical_features : "from_dtype", list or None, default="from_dtype"
        See :class:`~pulps.tables.encoding.TableEncoder`.
    pos_label : object, default=None
        The value of ``y`` that marks a labeled positive; by default the larger number.
    random_state : int, RandomState or None, default=None
        Not used: nothing is random.

    Attributes
    ----------
    classes_ : array of shape (2,)
        The value of unlabeled (negative) rows, then that of positive rows.
    reliable_negatives_ : array of int
        Which rows of the training table were taken as negative.
    positive_codes_, negative_codes_ : arrays of int
        The rows neighbors are sought in.
    positive_distances_, negative_distances_ : list of arrays
        Distances of the values of each attribute.
    coder_ : TableCoder
        Values of each attribute; missing is one of them if the table had it.

    Notes
    -----
    Source: Ienco and Pensa (2016), "Positive and unlabeled learning in categorical data". Its
    outline is followed; the cut-off, the number of neighbors and how the two distances meet
    are not known to us. The defaults are the variant nearest to the published scores among
    those tried on the original folds.

    Examples
    --------
    >>> import pandas as pd
    >>> X = pd.DataFrame({"a": list("xxxxyyyy"), "b": list("uvuvwzwz")})
    >>> y = [1, 1, 0, 0, 0, 0, 0, 0]
    >>> PulceClassifier(n_neighbors=1).fit(X, y).predict(X)
    array([1, 1, 1, 1, 0, 0, 0, 0])
    """

    _parameter_constraints = {
        **TabularClassifier._parameter_constraints,
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "context": [StrOptions({"sigma", "rr"})],
        "sigma": [Interval(Real, 0, None, closed="left")],
        "threshold": [StrOptions({"mean_unlabeled", "mean_positive", "top_n"})],
        "models": [StrOptions({"two", "joint"})],
        "n_bins": [Interval(Integral, 2, None, closed="left")],
        "binning": [StrOptions({"quantile", "uniform"})],
    }

    def __init__(
        self,
        *,
        n_neighbors: int = 5,
        context: Literal["sigma", "rr"] = "sigma",
        sigma: float = 1.0,
        threshold: Literal["mean_unlabeled", "mean_positive", "top_n"] = "mean_unlabeled",
        models: Literal["two", "joint"] = "two",
        n_bins: int = 10,
        binning: Literal["quantile", "uniform"] = "quantile",
        categorical_features: Sequence[Any] | Literal["from_dtype"] | None = "from_dtype",
        pos_label: Any = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.context = context
        self.sigma = sigma
        self.threshold = threshold
        self.models = models
        self.n_bins = n_bins
        self.binning = binning
        self.categorical_features = categorical_features
        self.pos_label = pos_label
        self.random_state = random_state

    def _fit_table(self, X: Any, labeled: np.ndarray) -> None:
        self.coder_ = TableCoder(self.categorical_features, self.n_bins, self.binning, "value")
        codes = self.coder_.fit_transform(X)
        self.positive_codes_ = codes[labeled]
        self.positive_distances_ = self._learn(self.positive_codes_)
        far = self._far_from_positives(codes[~labeled])
        self.reliable_negatives_ = np.flatnonzero(~labeled)[far]
        self.negative_codes_ = codes[self.reliable_negatives_]
        if self.models == "two":
            self.negative_distances_ = self._learn(self.negative_codes_)
        else:
            both = self._learn(np.concatenate([self.positive_codes_, self.negative_codes_]))
            self.positive_distances_ = self.negative_distances_ = both

    def _learn(self, codes: np.ndarray) -> list[np.ndarray]:
        return value_distances(codes, self.coder_.n_values_, self.context, self.sigma)[0]

    def _far_from_positives(self, unlabeled: np.ndarray) -> np.ndarray:
        """Which unlabeled rows are reliable negatives; never none of them."""
        score = self._mean_distances(unlabeled)
        if self.threshold == "top_n":
            return np.sort(np.argsort(-score, kind="stable")[: len(self.positive_codes_)])
        if self.threshold == "mean_unlabeled":
            cut = score.mean()
        else:
            cut = self._mean_distances(self.positive_codes_).mean()
        far = score > cut
        return np.flatnonzero(far if far.any() else score == score.max())

    def _mean_distances(self, codes: np.ndarray) -> np.ndarray:
        """Mean distance of each row to the labeled rows."""
        chunks = np.array_split(codes, -(-len(codes) // CHUNK))
        return np.concatenate(
            [
                row_distances(chunk, self.positive_codes_, self.positive_distances_).mean(axis=1)
                for chunk in chunks
            ]
        )

    def predict_proba(self, X: Any) -> np.ndarray:
        """Predict the share of the negatives' distance in the sum of both, as a probability.

        It is not calibrated.

        Parameters
        ----------
        X : table or array of shape (rows, columns)
            As in :meth:`decision_function`.

        Returns
        -------
        array of shape (rows, 2)
            In the order of ``classes_``: negative, positive.
        """
        check_is_fitted(self)
        positive = self._share_of_negatives(self._check_columns(X))
        return np.column_stack([1 - positive, positive])

    def _decide_table(self, X: Any) -> np.ndarray:
        """How much farther reliable negatives are than labeled rows, over the sum of both."""
        return 2 * self._share_of_negatives(X) - 1

    def _share_of_negatives(self, X: Any) -> np.ndarray:
        """Share of the distance to reliable negatives in the sum of both distances."""
        codes = self.coder_.transform(X)
        measure = self._votes if self.models == "joint" else self._nearest
        parts = [measure(chunk) for chunk in np.array_split(codes, -(-len(codes) // CHUNK))]
        near, far = (np.concatenate(group) for group in zip(*parts, strict=True))
        total = near + far
        return np.divide(far, total, out=np.full_like(total, 0.5), where=total > 0)

    def _nearest(self, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Mean distances to the nearest labeled rows and to the nearest reliable negatives."""
        to_positive = row_distances(codes, self.positive_codes_, self.positive_distances_)
        to_negative = row_distances(codes, self.negative_codes_, self.negative_distances_)
        near, far = (
            np.sort(distances, axis=1)[:, : self.n_neighbors].mean(axis=1)
            for distances in (to_positive, to_negative)
        )
        return near, far

    def _votes(self, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Shares of the nearest rows that are negative and positive, in place of distances."""
        rows = np.concatenate([self.positive_codes_, self.negative_codes_])
        distances = row_distances(codes, rows, self.positive_distances_)
        nearest = np.argsort(distances, axis=1, kind="stable")[:, : self.n_neighbors]
        for_positive = (nearest < len(self.positive_codes_)).mean(axis=1)
        return 1 - for_positive, for_positive
