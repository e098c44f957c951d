"""Columns of decimal numbers: floats become decimals with as many digits as the column has."""

from __future__ import annotations

import importlib
import re
from decimal import Decimal
from typing import Any, NamedTuple

PATTERN = re.compile(r"[Dd]ecimal(?:\d+)?\((\d+), ?(\d+)\)")


class Digits(NamedTuple):
    """Digits of a decimal column, all of them and those after the mark."""

    precision: int
    scale: int

    def __str__(self) -> str:
        return f"Decimal({self.precision}, {self.scale})"


def digits_of(kind: Any) -> Digits | None:
    """Read the digits of a type, or of its name.

    Parameters
    ----------
    kind
        A type of polars, pyarrow or pandas, or its name.

    Returns
    -------
    Digits or None
        None if it is no decimal type.

    Examples
    --------
    >>> digits_of("decimal128(7, 2)[pyarrow]"), digits_of("int64")
    (Digits(precision=7, scale=2), None)
    """
    if isinstance(kind, str):
        found = PATTERN.match(kind)
        return None if found is None else Digits(int(found[1]), int(found[2]))
    if hasattr(kind, "pyarrow_dtype"):  # of pandas
        kind = kind.pyarrow_dtype
    if "ecimal" not in type(kind).__name__ or not hasattr(kind, "scale"):
        return None
    return Digits(int(kind.precision or 38), int(kind.scale))


def as_decimals(values: list[Any], digits: Digits) -> list[Decimal | None]:
    """Write numbers as decimals.

    Parameters
    ----------
    values
        Numbers, decimals or None.
    digits
        Digits of the column.

    Returns
    -------
    list

    Examples
    --------
    >>> as_decimals([1.005, None, Decimal("2.50")], Digits(5, 2))
    [Decimal('1.00'), None, Decimal('2.50')]
    """
    return [None if value is None else Decimal(f"{value:.{digits.scale}f}") for value in values]


def decimal_series(name: Any, values: list[Any], digits: Digits, library: str) -> Any:
    """Build a column of polars or pyarrow.

    Parameters
    ----------
    name
        Its name.
    values
        Numbers, decimals or None.
    digits
        Its digits.
    library
        ``"polars"`` or ``"pyarrow"``.

    Returns
    -------
    polars.Series or pyarrow.ChunkedArray
    """
    cells = as_decimals(values, digits)
    module = importlib.import_module(library)
    if library == "polars":
        return module.Series(name, cells, dtype=module.Decimal(digits.precision, digits.scale))
    wide = digits.precision > 38
    kind = (module.decimal256 if wide else module.decimal128)(digits.precision, digits.scale)
    return module.chunked_array([module.array(cells, type=kind)])
