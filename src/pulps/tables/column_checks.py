"""What a column that was read from a file must be before cells are read by it."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np

from pulps.io.naming import quoted
from pulps.io.value_checks import need, numbers, told
from pulps.tables.columns import CategoricalColumn, NumericColumn
from pulps.tables.dates import FORMATS, PARTS


def check_column(column: Any, *, constant: bool = False) -> None:
    """Raise if the parts of a column do not fit together.

    Parameters
    ----------
    column
        From a file.
    constant
        Whether it held one value alone, and is not used.
    """
    if isinstance(column, NumericColumn):
        _check_numeric(column, constant)
        return
    need(
        isinstance(column, CategoricalColumn),
        f"a column should hold numbers or categories, but is {told(column)}",
    )
    _check_categories(column, constant)


def _check_numeric(column: NumericColumn, constant: bool) -> None:
    name = f"column {quoted(column.name)}"
    need(
        column.decimal in ("", ".", ",")
        and column.part in ("", *PARTS)
        and column.form in FORMATS,
        f"how {name} is written is not known: {told((column.decimal, column.part, column.form))}",
    )
    need(
        isinstance(column.blanks, tuple) and all(isinstance(word, str) for word in column.blanks),
        f"the words for missing in {name} should be texts, but are {told(column.blanks)}",
    )
    knots = numbers(column.knots, 1, f"the knots of {name}")
    positions = numbers(column.positions, 1, f"the positions of {name}")
    need(
        len(knots) == len(positions),
        f"{name} has {len(knots)} knots and {len(positions)} positions, which should be as many",
    )
    if not constant:
        need(
            len(knots) > 1 and (np.diff(knots) > 0).all(),
            f"the knots of {name} should be two or more numbers that increase",
        )
        need((np.diff(positions) >= 0).all(), f"the positions of {name} should not decrease")
        ends = positions[[0, -1]]
        need(
            (ends >= 0).all() and (ends <= 1).all(),
            f"the positions of {name} should lie between 0 and 1, but reach from {ends[0]} to "
            f"{ends[1]}",
        )


def _check_categories(column: CategoricalColumn, constant: bool) -> None:
    name, known = f"column {quoted(column.name)}", column.categories
    need(
        isinstance(known, np.ndarray) and known.ndim == 1 and known.dtype.kind in "fUO",
        f"the categories of {name} should be a list of numbers or texts, but are {told(known)}",
    )
    need(constant or len(known) > 1, f"{name} should have two or more categories")
    need(
        isinstance(column.n_groups, Integral) and 0 <= column.n_groups <= len(known),
        f"{name} should have up to {len(known)} groups, but has {told(column.n_groups)}",
    )
    frequencies = numbers(column.frequencies, 1, f"the frequencies of {name}")
    need(
        len(frequencies) == len(known) and (frequencies > 0).all(),
        f"{name} should have {len(known)} frequencies above zero, and has not",
    )
