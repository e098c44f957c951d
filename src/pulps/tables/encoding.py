"""Any table becomes numbers the bases understand; what is missing stays missing.

A numeric column is mapped to the unit interval, a categorical one to the codes of its
categories. NaN, None, null and categories never seen at fit become NaN, which the sweep
traces out. Columns that are constant at fit carry nothing; they are dropped and
remembered.
"""

from __future__ import annotations

from dataclasses import replace
from numbers import Integral

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from pulps.io._sklearn import check_sample_weight
from pulps.tables.columns import CategoricalColumn, Column, NumericColumn
from pulps.tables.reading import categories_of, is_categorical, numbers_of, read_columns

MAX_KNOTS = 1024
MAX_CHUNK = 2**16


class TableEncoder(BaseEstimator):
    """Encode a table column by column.

    Parameters
    ----------
    categorical_features
        ``"from_dtype"``: strings, categories, booleans and objects that are not all
        numbers are categorical; arrays are numeric. Otherwise names, indices or a
        boolean mask of the categorical columns; None for none.
    numeric_scale
        ``"rank"``: a value's mid-rank among the rows, which spreads any distribution over
        the interval. ``"min-max"``: linear, as in the paper. ``"blend"``: the mean of the
        two, which spreads values and still shows the gaps between groups of them.
    max_categories
        More categories than this are refused: such a column is a name, not an attribute.

    Attributes
    ----------
    columns_ : list of NumericColumn or CategoricalColumn
        The columns that are used, in order.
    constant_columns_ : list of NumericColumn or CategoricalColumn
        The columns that were dropped because they do not vary.
    constant_features_ : list of str
        Their names.
    """

    def __init__(
        self, categorical_features="from_dtype", numeric_scale="blend", max_categories=256
    ):
        self.categorical_features = categorical_features
        self.numeric_scale = numeric_scale
        self.max_categories = max_categories

    def fit(self, X, y=None, sample_weight=None):
        """Learn ranges and categories.

        Parameters
        ----------
        X
            The table, or an array.
        y
            Not used.
        sample_weight
            Weight of each row; None weighs all alike. Rows of weight zero are not looked at.

        Returns
        -------
        self
        """
        self.fit_transform(X, y, sample_weight)
        return self

    def fit_transform(self, X, y=None, sample_weight=None):
        """Learn ranges and categories and encode the same table.

        Parameters
        ----------
        X, y, sample_weight
            As in :meth:`fit`.

        Returns
        -------
        array of shape (rows, columns used)
            NaN where missing.
        """
        names, series = read_columns(X)
        categorical = self._categorical(names, series)
        weights = check_sample_weight(sample_weight, np.empty(len(series[0])))
        fitted: list[Column] = []
        raw = []
        for index, (name, column) in enumerate(zip(names, series, strict=True)):
            values = categories_of(column) if categorical[index] else numbers_of(name, column)
            raw.append(values)
            if categorical[index]:
                fitted.append(self._fit_categories(name, index, values, weights))
            else:
                fitted.append(self._fit_numbers(name, index, values, weights))
        self.n_features_in_ = len(names)
        self.columns_ = [column for column in fitted if not column.constant]
        self.constant_columns_ = [column for column in fitted if column.constant]
        self.constant_features_ = [column.name for column in self.constant_columns_]
        if not self.columns_:
            raise ValueError(
                f"None of the {len(names)} columns varies over the {len(series[0])} rows: "
                f"{self.constant_features_[:5]}. At least one must, to tell rows apart."
            )
        return self._stack(raw)

    def transform(self, X):
        """Encode rows.

        Parameters
        ----------
        X
            A table or array with the columns of the fit.

        Returns
        -------
        array of shape (rows, columns used)
            NaN where missing.
        """
        return np.concatenate(list(self.transform_chunks(X, MAX_CHUNK)))

    def transform_chunks(self, X, size: int):
        """Encode some rows at a time, so that memory does not grow with the table.

        Parameters
        ----------
        X
            A table or array with the columns of the fit.
        size
            Rows at a time.

        Yields
        ------
        array of shape (at most size, columns used)
        """
        check_is_fitted(self)
        names, series = read_columns(X)
        if len(names) != self.n_features_in_:
            raise ValueError(
                f"X has {len(names)} columns, but the encoder was fitted with "
                f"{self.n_features_in_}. Pass the same columns, in the same order."
            )
        for first in range(0, len(series[0]), size):
            raw: list[np.ndarray | None] = [None] * len(names)
            for column in self.columns_:
                raw[column.index] = column.read(series[column.index][first : first + size])
            yield self._stack(raw)

    def _stack(self, raw):
        return np.column_stack([column.encode(raw[column.index]) for column in self.columns_])

    def _categorical(self, names, series) -> np.ndarray:
        wanted = self.categorical_features
        if wanted is None:
            return np.zeros(len(names), dtype=bool)
        if isinstance(wanted, str):
            if wanted != "from_dtype":
                raise ValueError(
                    f"categorical_features is {wanted!r}; it must be 'from_dtype', None, or "
                    "a list of names, indices or booleans."
                )
            return np.array([is_categorical(column) for column in series])
        wanted = np.asarray(wanted)
        if wanted.dtype == bool:
            if len(wanted) != len(names):
                raise ValueError(
                    f"categorical_features is a mask of {len(wanted)} entries for a table of "
                    f"{len(names)} columns; they must be as many."
                )
            return wanted
        positions = {name: index for index, name in enumerate(names)}
        chosen = np.zeros(len(names), dtype=bool)
        for item in wanted.tolist():
            index = int(item) if isinstance(item, Integral) else positions.get(item, -1)
            if not 0 <= index < len(names):
                raise ValueError(
                    f"categorical_features names {item!r}, which is not a column; "
                    f"the {len(names)} columns are {names[:10]}."
                )
            chosen[index] = True
        return chosen

    def _fit_categories(self, name, index, values, weights) -> CategoricalColumn:
        seen = ~pd.isna(values) & (weights > 0)
        categories = np.array(sorted(pd.unique(values[seen])))
        if len(categories) > self.max_categories:
            raise ValueError(
                f"Column {name!r} has {len(categories)} categories in "
                f"{int((weights > 0).sum())} rows; at most {self.max_categories} are allowed. "
                "Drop it if it is a name or an identifier, merge rare values, or raise "
                "max_categories."
            )
        column = CategoricalColumn(name, index, categories, np.ones(len(categories)))
        codes = column.encode(values)[seen].astype(int)
        mass = 1 + np.bincount(codes, weights=weights[seen], minlength=len(categories))
        return replace(column, frequencies=mass / mass.sum())

    def _fit_numbers(self, name, index, values, weights) -> NumericColumn:
        seen = ~np.isnan(values) & (weights > 0)
        knots, inverse = np.unique(values[seen], return_inverse=True)
        whole = bool((knots == np.rint(knots)).all())
        if len(knots) < 2:
            return NumericColumn(name, index, knots, np.zeros(len(knots)), whole)
        if self.numeric_scale == "min-max":
            return NumericColumn(name, index, knots[[0, -1]], np.array([0.0, 1.0]), whole)
        mass = np.bincount(inverse, weights=weights[seen])
        rank = np.cumsum(mass) - mass / 2
        positions = (rank - rank[0]) / (rank[-1] - rank[0])
        if len(knots) > MAX_KNOTS:
            even = np.linspace(0, 1, MAX_KNOTS)
            keep = np.unique(np.searchsorted(positions, even).clip(0, len(knots) - 1))
            knots, positions = knots[keep], positions[keep]
        if self.numeric_scale == "blend":
            positions = (positions + (knots - knots[0]) / (knots[-1] - knots[0])) / 2
        return NumericColumn(name, index, knots, positions, whole)
