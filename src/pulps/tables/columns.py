"""What a fit remembers of a column, and all that depends on its kind.

A numeric column knows its map to the unit interval, a categorical one its categories. Both know
how to read cells, to encode and decode them, and which basis they need at a site; nobody else
has to ask for the kind of a column to do these things.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from pulps.io.naming import listed, quoted
from pulps.tables.cells import distinct, number_in, numbers_of, written
from pulps.tables.dates import ISO, moments_of, part_of
from pulps.tables.interpolation import interpolate, interpolate_back
from pulps.tables.reading import categories_of


@dataclass(frozen=True)
class NumericColumn:
    """A monotone, piecewise linear map of a numeric column to the unit interval.

    Parameters
    ----------
    name, index
        Its name, and its number in the table.
    knots, positions
        Values of the column, increasing, and where each goes.
    whole
        Whether the column held whole numbers only, whatever its type.
    decimal
        The decimal mark of cells that are text; empty where none was at fit.
    blanks
        Words between the numbers that count as missing.
    part
        What is read off a column of dates, one of :data:`pulps.tables.dates.PARTS`; empty for
        a column of numbers.
    form
        How dates are written where they are text.
    """

    name: str
    index: int
    knots: np.ndarray
    positions: np.ndarray
    whole: bool = False
    decimal: str = ""
    blanks: tuple[str, ...] = ()
    part: str = ""
    form: str = ISO

    @property
    def constant(self) -> bool:
        """Whether the column held fewer than two values at fit."""
        return len(self.knots) < 2

    def encode(self, values: np.ndarray) -> np.ndarray:
        """Map values to the unit interval.

        Parameters
        ----------
        values
            Numbers; outside the range of the fit they are clipped.

        Returns
        -------
        array
            NaN where missing.
        """
        return interpolate(values, self.knots, self.positions)

    def decode(self, positions: np.ndarray) -> np.ndarray:
        """Map the unit interval back to numbers.

        Parameters
        ----------
        positions
            Numbers from 0 to 1.

        Returns
        -------
        array
            Whole numbers if the column held no others.
        """
        values = interpolate_back(positions, self.positions, self.knots)
        return np.rint(values) if self.whole else values

    @property
    def n_values(self) -> None:
        """Number of values, if they are finitely many; numbers are not."""
        return None

    def read(self, series: Any) -> np.ndarray:
        """Read the cells of a table's column, as numbers.

        Parameters
        ----------
        series
            A column, see :func:`pulps.tables.reading.read_columns`.

        Returns
        -------
        array
            NaN where missing.
        """
        if self.part:
            return part_of(moments_of(self.name, series, self.form), self.part)
        return numbers_of(self.name, series, self.decimal or ".", self.blanks)

    def encode_value(self, value: Any) -> float:
        """Encode one value; raise if it is no number.

        Parameters
        ----------
        value
            In the user's own units.

        Returns
        -------
        float
        """
        number: Any = value
        if isinstance(value, str):
            number = number_in(value, self.decimal or ".")
        try:
            return float(self.encode(np.array([float(number)]))[0])
        except (TypeError, ValueError):
            raise ValueError(
                f"Column {quoted(self.name)} holds numbers, but {quoted(value)} was given."
            ) from None

    def snapped(self, positions: np.ndarray) -> np.ndarray:
        """Move positions to those of the numbers that will be written: whole ones, if so.

        Parameters
        ----------
        positions
            Encoded values.

        Returns
        -------
        array
        """
        return self.encode(self.decode(positions)) if self.whole else positions

    def unknown(self, series: Any, encoded: np.ndarray) -> np.ndarray:
        """Tell which cells of a table's column lie outside of the range of the fit.

        Parameters
        ----------
        series
            A column, see :func:`pulps.tables.reading.read_columns`.
        encoded
            The same cells, encoded.

        Returns
        -------
        array of bool
        """
        values = self.read(series)
        return (values < self.knots[0]) | (values > self.knots[-1])

    # How it sits at a site.

    def n_features(self, name: str, feature_dim: int) -> int:
        """Return how many features the site has.

        Parameters
        ----------
        name
            Name of the basis of the site.
        feature_dim
            Number of functions of a basis of numbers.

        Returns
        -------
        int
        """
        return feature_dim

    def trace_weights(self, name: str, feature_dim: int) -> np.ndarray:
        """Weigh the features where the site is traced: all alike.

        Parameters
        ----------
        name
            Name of the basis of the site.
        feature_dim
            Number of functions of a basis of numbers.

        Returns
        -------
        array of shape (features,)
        """
        return np.ones(feature_dim)

    def span(self, name: str) -> float:
        """Return what the encoded values are divided by.

        Parameters
        ----------
        name
            Name of the basis of the site.

        Returns
        -------
        float
        """
        return 1.0


@dataclass(frozen=True)
class CategoricalColumn:
    """The categories of a column; their order gives the codes.

    Parameters
    ----------
    name, index
        Its name, and its number in the table.
    categories
        Sorted; the position is the code.
    frequencies
        Shares of the rows, one row added to each category so that none is zero.
    n_groups
        How many of the last categories are groups of words that are rare or new; a word belongs
        to one by its letters alone.
    """

    name: str
    index: int
    categories: np.ndarray
    frequencies: np.ndarray
    n_groups: int = 0

    @property
    def constant(self) -> bool:
        """Whether the column held fewer than two categories at fit."""
        return len(self.categories) < 2

    def encode(self, values: np.ndarray) -> np.ndarray:
        """Map categories to codes.

        Parameters
        ----------
        values
            Categories, from :func:`pulps.tables.reading.categories_of`.

        Returns
        -------
        array
            NaN for unseen and missing categories.
        """
        codes = {key: code for code, key in enumerate(self.categories.tolist())}
        alike = {} if self.categories.dtype.kind == "f" else self._alike()
        found, keys = distinct(values)
        table = [codes.get(key, self._near(key, alike)) for key in keys]
        return np.array([*table, np.nan])[found]

    def _alike(self) -> dict[Any, float]:
        """Codes of categories that other texts may mean: 1.0 is 01 if nothing else is one."""
        texts = self.categories[: self.n_values - self.n_groups].tolist()
        found: dict[Any, list[int]] = {}
        for code, text in enumerate(texts):
            number = number_in(text)
            if number is not None and not np.isnan(number):
                found.setdefault(number, []).append(code)
        return {number: float(codes[0]) for number, codes in found.items() if len(codes) == 1}

    def _near(self, key: Any, alike: dict[Any, float]) -> float:
        """Code of a text that is no category: of one that means the same, or of a group."""
        if not isinstance(key, str):
            return np.nan
        number = number_in(key)
        if number is not None and number in alike:
            return alike[number]
        if not self.n_groups:
            return np.nan
        return float(self.n_values - self.n_groups + zlib.crc32(key.encode()) % self.n_groups)

    @property
    def n_values(self) -> int:
        """Number of categories."""
        return len(self.categories)

    def read(self, series: Any) -> np.ndarray:
        """Read the cells of a table's column, as the fit did.

        Parameters
        ----------
        series
            A column, see :func:`pulps.tables.reading.read_columns`.

        Returns
        -------
        array
            Numbers or text, None or NaN where missing.
        """
        return categories_of(series, like=self.categories)

    def encode_value(self, value: Any) -> float:
        """Encode one value; raise if the column never held it.

        Parameters
        ----------
        value
            A category, in the user's own words.

        Returns
        -------
        float
        """
        text = written(value)
        key = number_in(text) if text and self.categories.dtype.kind == "f" else text
        code = self.encode(np.array([key], dtype=object))[0]
        if np.isnan(code):
            raise ValueError(
                f"Column {quoted(self.name)} never held {quoted(value)} at fit. Its categories "
                f"are {listed(self.categories)}."
            )
        return float(code)

    def shown(self, labels: list[Any] | None) -> list[Any]:
        """Name the categories for people: by the user's own values, groups by their names.

        Parameters
        ----------
        labels
            The user's value of every category.

        Returns
        -------
        list
        """
        kept = self.n_values - self.n_groups
        return [*(labels or [])[:kept], *self.categories[kept:].tolist()]

    def snapped(self, codes: np.ndarray) -> np.ndarray:
        """Return the codes: every one of them can be written.

        Parameters
        ----------
        codes
            Encoded values.

        Returns
        -------
        array
        """
        return codes

    def unknown(self, series: Any, encoded: np.ndarray) -> np.ndarray:
        """Tell which cells of a table's column hold a category the fit did not see.

        Parameters
        ----------
        series
            A column, see :func:`pulps.tables.reading.read_columns`.
        encoded
            The same cells, encoded.

        Returns
        -------
        array of bool
        """
        texts = categories_of(series, like=np.array([""]))
        return np.array([text is not None for text in texts.tolist()]) & np.isnan(encoded)

    # How it sits at a site.

    def n_features(self, name: str, feature_dim: int) -> int:
        """Return how many features the site has: one per category, or functions of codes.

        Parameters
        ----------
        name
            Name of the basis of the site.
        feature_dim
            Number of functions of a basis of numbers.

        Returns
        -------
        int
        """
        return self.n_values if name == "one-hot" else feature_dim

    def trace_weights(self, name: str, feature_dim: int) -> np.ndarray:
        """Weigh the features where the site is traced: common categories more.

        Weights are the squared frequencies of the categories, with sum one. A plain sum gives
        rare categories the same say as common ones and does worse than filling in the most
        frequent one; with 30 % of the cells removed, squares did better than the frequencies
        themselves.

        Parameters
        ----------
        name
            Name of the basis of the site.
        feature_dim
            Number of functions of a basis of numbers.

        Returns
        -------
        array of shape (features,)
        """
        if name != "one-hot":
            return np.ones(feature_dim)
        squares = self.frequencies**2
        return squares / squares.sum()

    def span(self, name: str) -> float:
        """Return what the codes are divided by: where they meet a function, they are spread.

        Parameters
        ----------
        name
            Name of the basis of the site.

        Returns
        -------
        float
        """
        return 1.0 if name == "one-hot" else self.n_values - 1.0


Column = NumericColumn | CategoricalColumn
