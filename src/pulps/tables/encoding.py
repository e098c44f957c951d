"""Any table becomes numbers the bases understand; what is missing stays missing.

A numeric column is mapped to the unit interval, a categorical one to the codes of its
categories, and dates become several numbers. NaN, None, null and categories never seen at fit
become NaN, which the sweep traces out. Columns that are constant at fit, identifiers and free
text carry nothing; they are dropped and remembered.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from numbers import Integral
from shlex import quote
from typing import Any, Self

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from pulps.io._sklearn import check_sample_weight
from pulps.io.calls import warn_caller
from pulps.io.naming import quoted, shown, some
from pulps.tables.cells import numbers_of
from pulps.tables.columns import CategoricalColumn, Column, NumericColumn
from pulps.tables.dates import PARTS, moments_of, part_of
from pulps.tables.interpolation import evenly
from pulps.tables.levels import merged_levels
from pulps.tables.notices import Cells, TableWarning
from pulps.tables.reading import categories_of, read_columns
from pulps.tables.roles import LEFT_OUT, LeftOutColumn, Role, as_given, check_roles, guess_role
from pulps.tables.row_encoding import RowEncoder

MAX_KNOTS = 1024


class TableEncoder(RowEncoder, BaseEstimator):
    """Encode a table column by column.

    Parameters
    ----------
    categorical_features
        ``"from_dtype"``: a column is what its type says, or its text
        (:mod:`pulps.tables.roles`); arrays are numeric. Otherwise names, indices or a
        boolean mask of the categorical columns, all others being numbers or dates; None for
        none.
    numeric_scale
        ``"rank"``: a value's mid-rank among the rows, which spreads any distribution over
        the interval. ``"min-max"``: linear, as in the paper. ``"blend"``: the mean of the
        two, which spreads values and still shows the gaps between groups of them.
    max_categories
        Rare categories of a column that has more than this are merged into groups
        (:mod:`pulps.tables.levels`).
    roles
        Roles of some columns by name, see :data:`pulps.tables.roles.ROLES`; the others are
        guessed.

    Attributes
    ----------
    columns_ : list of NumericColumn or CategoricalColumn
        The columns that are used, in order; dates are several.
    left_out_ : list of LeftOutColumn
        Identifiers, free text, and what was to be left out.
    names_ : list
        Names of all columns of the fit; None for an array.
    constant_columns_ : list of NumericColumn or CategoricalColumn
        The columns that were dropped because they do not vary.
    constant_features_ : list of str
        Their names.
    """

    def __init__(
        self,
        categorical_features: Any = "from_dtype",
        numeric_scale: str = "blend",
        max_categories: int = 256,
        roles: Mapping[str, str] | None = None,
    ):
        self.categorical_features = categorical_features
        self.numeric_scale = numeric_scale
        self.max_categories = max_categories
        self.roles = roles

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
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

    def fit_transform(self, X: Any, y: Any = None, sample_weight: Any = None) -> np.ndarray:
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
        weights = check_sample_weight(sample_weight, np.empty(len(series[0])))
        fitted: list[tuple[Column, np.ndarray]] = []
        left_out, notes = [], []
        for index, role in enumerate(self._roles(names, series, weights > 0)):
            name = names[index]
            if role.kind in LEFT_OUT:
                left_out.append(LeftOutColumn(name, index, role.kind, role.reason))
                continue
            if role.reason:
                notes.append(f"{name}: {role.reason}")
            found = self._fit_column(name, index, series[index], role, weights)
            fitted += found
            notes += [note for column, cells in found for note in _notes(column, cells)]
        self.n_features_in_ = len(names)
        self.names_ = None if isinstance(series[0], np.ndarray) else names
        self.left_out_ = left_out
        self.columns_ = [column for column, _ in fitted if not column.constant]
        self.constant_columns_ = [column for column, _ in fitted if column.constant]
        self.constant_features_ = [column.name for column in self.constant_columns_]
        if not self.columns_:
            told = [f"{shown(column.name)} ({column.role})" for column in left_out]
            raise ValueError(
                f"None of the {len(names)} columns varies over the {len(series[0])} rows: "
                f"{quoted(self.constant_features_ + told)}. At least one must, to tell rows apart."
                + " If one of them is worth learning from, give it a role."
                * bool(left_out)
            )
        self._tell(notes)
        return np.column_stack([c.encode(cells) for c, cells in fitted if not c.constant])

    def _tell(self, notes: list[str]) -> None:
        """Warn of columns that are left out, and of cells that are not what they were."""
        guessed = [column for column in self.left_out_ if column.reason != "as you said"]
        if guessed:
            told = some([f"{shown(c.name)} ({c.role}: {c.reason})" for c in guessed])
            first = guessed[0].name
            warn_caller(
                f"Left out: {told}. To learn from one of them, give it a role: "
                f"roles={{{quoted(first)}: 'category'}}, or --categorical {quote(shown(first))}.",
                TableWarning,
            )
        if notes:
            warn_caller(f"Not taken as it came: {some(notes)}.", TableWarning)

    def transform_chunks(
        self, X: Any, size: int, cells: Cells | None = None
    ) -> Iterator[np.ndarray]:
        """Encode some rows at a time, so that memory does not grow with the table.

        Parameters
        ----------
        X, size, cells
            See :meth:`pulps.tables.row_encoding.RowEncoder.transform_chunks`.

        Returns
        -------
        iterator of arrays
        """
        check_is_fitted(self)
        return super().transform_chunks(X, size, cells)

    def _roles(self, names: list[Any], series: Sequence[Any], counted: np.ndarray) -> list[Role]:
        """Find out what every column is; rows that count nothing are not looked at."""
        if isinstance(series[0], np.ndarray):
            if self.roles:
                raise ValueError(
                    "roles names columns, but X is an array without names. Pass a table, or "
                    "categorical_features with the indices of the categorical columns."
                )
            given = {}
        else:
            given = check_roles(self.roles, names)
        named = self._categorical(names)
        found = []
        for index, (name, column) in enumerate(zip(names, series, strict=True)):
            if not counted.all():
                array = isinstance(column, np.ndarray)
                column = column[counted] if array else column.filter(counted.tolist())
            if name in given:
                found.append(as_given(given[name], column))
            elif named is None:
                found.append(guess_role(name, column))
            elif named[index]:
                found.append(Role("category"))
            else:
                date = guess_role(name, column)
                found.append(date if date.kind == "date" else Role("number", decimal=date.decimal))
        return found

    def _categorical(self, names: list[Any]) -> np.ndarray | None:
        """Mask of the columns that were named; None if nobody did."""
        wanted = self.categorical_features
        if wanted is None:
            return np.zeros(len(names), dtype=bool)
        if isinstance(wanted, str):
            if wanted != "from_dtype":
                raise ValueError(
                    f"categorical_features is {quoted(wanted)}; it must be 'from_dtype', None, or "
                    "a list of names, indices or booleans."
                )
            return None
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
                    f"categorical_features names {quoted(item)}, which is not a column; "
                    f"the {len(names)} columns are {quoted(names)}."
                )
            chosen[index] = True
        return chosen

    def _fit_column(
        self, name: str, index: int, series: Any, role: Role, weights: np.ndarray
    ) -> list[tuple[Column, np.ndarray]]:
        """Learn one column; dates become several. Cells come back as they were read."""
        if role.kind == "category":
            return [self._fit_categories(name, index, categories_of(series), weights)]
        if role.kind == "number":
            cells = numbers_of(name, series, role.decimal or ".", role.blanks)
            column = self._fit_numbers(name, index, cells, weights)
            return [(replace(column, decimal=role.decimal, blanks=role.blanks), cells)]
        moments = moments_of(name, series, role.form)
        days = np.unique(moments[~np.isnat(moments) & (weights > 0)].astype("datetime64[D]"))
        found: list[tuple[Column, np.ndarray]] = []
        for part in PARTS if len(days) > 1 else PARTS[:1]:
            cells = part_of(moments, part)
            column = self._fit_numbers(f"{name} ({part})", index, cells, weights)
            if part == "days" or not column.constant:
                found.append((replace(column, part=part, form=role.form), cells))
        return found

    def _fit_categories(
        self, name: str, index: int, values: np.ndarray, weights: np.ndarray
    ) -> tuple[CategoricalColumn, np.ndarray]:
        seen = ~pd.isna(values) & (weights > 0)
        categories, n_groups = np.array(sorted(pd.unique(values[seen]))), 0
        merged = merged_levels(values, np.where(seen, weights, 0), self.max_categories)
        if merged is not None:
            values, categories, n_groups = merged
        ones = np.ones(len(categories))
        column = CategoricalColumn(name, index, categories, ones, n_groups)
        codes = column.encode(values)[seen].astype(int)
        mass = 1 + np.bincount(codes, weights=weights[seen], minlength=len(categories))
        return replace(column, frequencies=mass / mass.sum()), values

    def _fit_numbers(
        self, name: str, index: int, values: np.ndarray, weights: np.ndarray
    ) -> NumericColumn:
        seen = np.isfinite(values) & (weights > 0)
        if np.isinf(values).any() and seen.any():
            values = values.clip(values[seen].min(), values[seen].max())
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
            positions = (positions + evenly(knots)) / 2
        return NumericColumn(name, index, knots, positions, whole)


def _notes(column: Column, cells: np.ndarray) -> list[str]:
    """Tell what the fit made of a column that is not what came."""
    if isinstance(column, CategoricalColumn):
        kept = column.n_values - column.n_groups
        merged = len(pd.unique(cells[~pd.isna(cells)])) - kept
        groups = f"{column.n_groups} group{'s' * (column.n_groups > 1)}"
        stay = "value stays" if kept == 1 else "values stay"
        told = f"{shown(column.name)}: {merged} rare values became {groups}, {kept} {stay}"
        return [told] if column.n_groups else []
    n_infinite = int(np.isinf(cells).sum())
    told = f"{shown(column.name)}: {n_infinite} infinite numbers count as its largest or smallest"
    return [told] if n_infinite else []
