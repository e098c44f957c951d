"""Missing cells: rivals that fill or accept them, and the tables that compare.

The suite ``"missing"`` removes cells at random from training and test folds. ``lps-default``
draws them in training and traces them at predict; the rivals here fill them first, with means
and modes or from the nearest rows, or split on them in trees.
"""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.impute import KNNImputer
from sklearn.model_selection import StratifiedKFold, cross_val_predict

from pulps.benchmark.render import NOTHING, Cell, Table
from pulps.priors.elkan_noto import label_share_of_scores
from pulps.tables.columns import CategoricalColumn
from pulps.tables.encoding import TableEncoder
from pulps.tables.matrix import column_widths, spread_categories

TITLES = {
    "lps-default": "LPS (default)",
    "lps-mean-filled": "LPS, means and modes",
    "lps-knn-filled": "LPS, nearest rows",
    "elkan-noto-trees": "Elkan–Noto, trees",
}
MEASURES = {"auc": "AUC", "f1_pos": "F1", "macro_f1": "macro-F1"}


def remove_cells(X: pd.DataFrame, share: float, seed: list[int]) -> pd.DataFrame:
    """Empty a share of the cells, chosen at random; columns that need it change their type.

    Parameters
    ----------
    X
        The table.
    share
        Share of the cells to empty.
    seed
        Seed of the choice.

    Returns
    -------
    DataFrame
        A copy.

    Examples
    --------
    >>> remove_cells(pd.DataFrame({"a": [1, 2, 3, 4]}), 0.5, [0]).isna().sum().item() > 0
    True
    """
    gone = np.random.default_rng(seed).random(X.shape) < share
    return X.mask(pd.DataFrame(gone, index=X.index, columns=X.columns))


class FilledClassifier(ClassifierMixin, BaseEstimator):
    """Fill missing cells, then fit a classifier that never sees one.

    Parameters
    ----------
    estimator
        The classifier.
    fill
        ``"mean"``: the mean of a numeric column, the most frequent category of another.
        ``"knn"``: the same, but over the five nearest training rows, with distances over
        the cells that both rows have.
    """

    def __init__(self, estimator: Any, fill: Literal["mean", "knn"] = "mean"):
        self.estimator = estimator
        self.fill = fill

    def fit(self, X: Any, y: Any) -> Self:
        """Learn how to fill cells, and fit the classifier on filled rows.

        Parameters
        ----------
        X
            Rows.
        y
            Labels, 1 for a labeled positive.

        Returns
        -------
        self
            Fitted.
        """
        self.encoder_ = TableEncoder(numeric_scale="min-max").fit(X)
        columns = self._spread(X)
        self.means_ = np.nanmean(columns, axis=0)
        if self.fill == "knn":
            self.neighbors_ = KNNImputer(n_neighbors=5).fit(columns)
        self.estimator_ = clone(self.estimator).fit(self._filled(X), y)
        self.classes_ = self.estimator_.classes_
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Predict the classes of filled rows.

        Parameters
        ----------
        X
            Rows.

        Returns
        -------
        array
            Classes.
        """
        return self.estimator_.predict(self._filled(X))

    def decision_function(self, X: Any) -> np.ndarray:
        """Return the decision on filled rows.

        Parameters
        ----------
        X
            Rows.

        Returns
        -------
        array
            Larger is more positive.
        """
        return self.estimator_.decision_function(self._filled(X))

    @property
    def agreement_(self) -> float:
        """Agreement of the classifier's members, if it has some."""
        return self.estimator_.agreement_

    def _spread(self, X: Any) -> np.ndarray:
        return spread_categories(self.encoder_.transform(X), self.encoder_.columns_)

    def _filled(self, X: Any) -> pd.DataFrame:
        columns = self._spread(X)
        if self.fill == "knn":
            columns = self.neighbors_.transform(columns)
        columns = np.where(np.isnan(columns), self.means_, columns)
        ends = np.cumsum(column_widths(self.encoder_.columns_))[:-1]
        filled = {}
        for column, cells in zip(
            self.encoder_.columns_, np.split(columns, ends, axis=1), strict=True
        ):
            if isinstance(column, CategoricalColumn):
                filled[column.name] = column.categories[cells.argmax(axis=1)].astype(str)
            else:
                filled[column.name] = cells[:, 0]
        return pd.DataFrame(filled)


class ElkanNotoTrees(ClassifierMixin, BaseEstimator):
    """Trees that tell labeled from unlabeled rows, corrected for how many are labeled.

    The probability of a label over its mean on held-out labeled rows estimates the probability
    of the positive class. Trees treat a missing cell as a branch of its own; the rival
    :class:`~pulps.baselines.ElkanNotoClassifier` would fill it first.
    """

    def __init__(self, random_state: int | np.random.RandomState | None = None):
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Fit the trees, and the share of positives that is labeled on held-out rows.

        Parameters
        ----------
        X
            Rows.
        y
            Labels, 1 for a labeled positive.

        Returns
        -------
        self
            Fitted.
        """
        y = np.asarray(y)
        codes = self._codes(X, reset=True)
        trees = HistGradientBoostingClassifier(
            categorical_features=self.categorical_, random_state=self.random_state
        )
        folds = StratifiedKFold(5, shuffle=True, random_state=self.random_state)
        held_out = cross_val_predict(trees, codes, y, cv=folds, method="predict_proba")[:, 1]
        found = label_share_of_scores(held_out, y == 1)
        self.label_frequency_ = float(np.clip(found, 1e-3, 1))
        self.trees_ = trees.fit(codes, y)
        self.classes_ = self.trees_.classes_
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """Return the estimated probability of the positive class, minus one half.

        Parameters
        ----------
        X
            Rows.

        Returns
        -------
        array
            Above 0 where positive is more likely.
        """
        labeled = self.trees_.predict_proba(self._codes(X))[:, 1]
        return labeled / self.label_frequency_ - 0.5

    def predict(self, X: Any) -> np.ndarray:
        """Predict classes.

        Parameters
        ----------
        X
            Rows.

        Returns
        -------
        array
            Positive where that probability exceeds one half.
        """
        return self.classes_[(self.decision_function(X) > 0).astype(int)]

    def _codes(self, X: Any, reset: bool = False) -> np.ndarray:
        if reset:
            self.encoder_ = TableEncoder(numeric_scale="min-max", max_categories=255).fit(X)
            kinds = [isinstance(c, CategoricalColumn) for c in self.encoder_.columns_]
            self.categorical_ = np.array(kinds)
        return self.encoder_.transform(X)


def average_table(records: pd.DataFrame, measure: str = "auc") -> Table:
    """Average a score over tables.

    Each column counts only the tables and folds that every method has done.

    Parameters
    ----------
    records
        Records of the store, one row per record.
    measure
        Name of a score, such as ``"f1_pos"``.

    Returns
    -------
    Table
        One row per method, one column per share of missing cells.
    """
    methods = list(dict.fromkeys(records["method"]))
    header, columns = [""], []
    for share, group in records.groupby("missing", sort=True):
        wide = group.pivot_table(index=["dataset", "fold"], columns="method", values=measure)
        wide = wide.reindex(columns=methods).dropna()
        columns.append(wide.groupby(level="dataset").mean().mean())
        n_tables = wide.index.get_level_values("dataset").nunique()
        header.append(f"{share:.0%} missing ({n_tables} tables, {len(wide)} folds)")
    rows = [
        [
            Cell(TITLES.get(method, method)),
            *(Cell(f"{means[method]:.3f}", means[method] == means.max()) for means in columns),
        ]
        for method in methods
    ]
    return Table(
        f"{MEASURES[measure]}, average over tables",
        header,
        rows,
        [
            "Tables and folds that all methods have done; a mean over the folds of each table "
            "first. Bold: the best of its column."
        ],
    )


def missing_table(records: pd.DataFrame, measure: str = "auc") -> Table:
    """Average a score over folds.

    Parameters
    ----------
    records
        Records of the store, one row per record.
    measure
        Name of a score, such as ``"f1_pos"``.

    Returns
    -------
    Table
        One row per method and share of missing cells.
    """
    datasets = list(dict.fromkeys(records["dataset"]))
    rows = []
    for (method, share), group in records.groupby(["method", "missing"], sort=True):
        means = group.groupby("dataset")[measure].mean().reindex(datasets)
        cells = [Cell(f"{mean:.3f}") if mean == mean else NOTHING for mean in means]
        complete = bool(means.notna().all())
        average = Cell(f"{means.mean():.3f}") if complete else NOTHING
        name = Cell(TITLES.get(str(method), str(method)))
        rows.append([name, Cell(f"{share:.0%}"), *cells, average])
    return Table(
        f"{MEASURES[measure]} with cells removed at random from training and test rows",
        ["", "missing", *datasets, "average"],
        rows,
        ["Mean over test folds."],
    )
