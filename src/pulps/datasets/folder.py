"""Any folder of tables: a ``datasets.json`` says what its files are.

The smallest one that works, for a CSV file with a header line whose last column is ``class``,
and in which an empty cell is a missing value::

    {"datasets": {"churn": {"file": "churn.csv", "positive_class": "yes", "negative_class": "no"}}}

``attributes`` may say what the columns are, as a list of ``{"name": …, "kind": …}`` with kinds
``"numeric"``, ``"binary"``, ``"categorical"`` and ``"ordinal"`` (then with its ``"values"`` in
order). Without it a column is numeric if all its cells are numbers. ``sha256`` is compared if
it is there. Rows of further classes are left out, and columns that are constant in the rest.
"""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd

from pulps.datasets.sources import (
    CorruptedDataError,
    DataUnavailableError,
    data_folder,
    read_bytes,
    sha256,
)

INDEX = "datasets.json"
DEVELOP = "develop"
KINDS = ("numeric", "binary", "categorical", "ordinal")
HOW_TO = (
    f"Name a folder that has a {INDEX} with --data (data_home= in Python), or set the environment "
    f"variable PULPS_DATA to a data folder with a folder '{DEVELOP}' in it. What such a folder "
    "holds is told in benchmarks/README.md."
)


@dataclass(frozen=True, eq=False)
class FolderTable:
    """One table with its larger class and its smaller one.

    Attributes
    ----------
    X : DataFrame
        One column an attribute: ``float64`` or ``category``. NaN = missing.
    is_larger : ndarray of bool
        Whether a row belongs to the larger of the two classes; of two equal ones to the
        positive class of the folder.
    sha256 : str
        SHA-256 of the unpacked file.
    """

    X: pd.DataFrame
    is_larger: np.ndarray
    sha256: str


def table_folder(data_home: str | os.PathLike[str] | None = None) -> Path:
    """Find the folder of tables.

    Parameters
    ----------
    data_home
        The folder; by default the folder ``develop`` in that of ``PULPS_DATA``.

    Returns
    -------
    Path
        A folder with a ``datasets.json``.
    """
    if data_home:
        folder = Path(data_home).expanduser()
    else:
        known = data_folder(None)
        if known is None:
            raise DataUnavailableError(f"No folder of tables is known. {HOW_TO}")
        folder = known / DEVELOP
    if not (folder / INDEX).is_file():
        raise DataUnavailableError(f"There is no file {folder / INDEX}. {HOW_TO}")
    return folder


def folder_tables(folder: Path) -> list[str]:
    """List the tables of a folder; what is described there as images is none.

    Parameters
    ----------
    folder
        From :func:`table_folder`.

    Returns
    -------
    list of str
        Their names.
    """
    return list(_index(folder))


def load_folder_table(folder: Path, name: str) -> FolderTable:
    """Load one table of a folder.

    Parameters
    ----------
    folder
        From :func:`table_folder`.
    name
        One of :func:`folder_tables`.

    Returns
    -------
    FolderTable
        The rows of its two classes.
    """
    entries = _index(folder)
    if name not in entries:
        raise ValueError(f"{folder} has no table {name!r}. Known: {', '.join(entries)}.")
    path = folder / entries[name]["file"]
    if not path.is_file():
        raise DataUnavailableError(
            f"{folder / INDEX} names the file {path.name} for the table {name!r}, but it is not "
            "there. Put it there or take the table out."
        )
    return _load(folder, name, *_stamp(path), *_stamp(folder / INDEX))


def load_folder_classes(folder: Path, name: str) -> tuple[pd.DataFrame, np.ndarray]:
    """Load one table of a folder with all its rows and all its classes.

    Parameters
    ----------
    folder
        From :func:`table_folder`.
    name
        One of :func:`folder_tables`.

    Returns
    -------
    X, y
        Attributes that vary, and the name of the class of every row.
    """
    load_folder_table(folder, name)  # says what is wrong with the folder or the file
    entry = _index(folder)[name]
    path = folder / entry["file"]
    header, rows = _cells(read_bytes(path), path)
    X = _frame(header, rows, _kinds(entry, header, path), path)
    return X, np.array([row[-1] for row in rows])


def _frame(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    kinds: dict[str, dict[str, Any]],
    path: Path,
) -> pd.DataFrame:
    """Columns that vary, typed."""
    X = pd.DataFrame(
        {
            column: _column([row[i] for row in rows], kinds.get(column), f"{path}, {column}")
            for i, column in enumerate(header[:-1])
        }
    )
    return X.loc[:, X.nunique() > 1].copy()


@lru_cache(maxsize=64)
def _load(folder: Path, name: str, *written: int) -> FolderTable:
    """Load a table; once, unless one of the two files was written again."""
    entry = _index(folder)[name]
    path = folder / entry["file"]
    content = read_bytes(path)
    came = sha256(path.read_bytes())
    if entry.get("sha256", came) != came:
        raise CorruptedDataError(
            f"{path} has SHA-256 {came[:12]}…, but {INDEX} says {entry['sha256'][:12]}…: the file "
            "is damaged or another version. Replace it, or correct the entry."
        )
    header, rows = _cells(content, path)
    pair = [str(entry["positive_class"]), str(entry["negative_class"])]
    classes = np.array([row[-1] for row in rows])
    counts = [int((classes == one).sum()) for one in pair]
    if min(counts) == 0 or pair[0] == pair[1]:
        found = ", ".join(map(repr, np.unique(classes)[:10].tolist()))
        raise CorruptedDataError(
            f"{path} has {counts[0]} rows of the positive class {pair[0]!r} and {counts[1]} of "
            f"the negative class {pair[1]!r}; both need rows. Its classes are {found}."
        )
    kept = [row for row in rows if row[-1] in pair]
    X = _frame(header, kept, _kinds(entry, header, path), path)
    larger = pair[counts[1] > counts[0]]
    is_larger = np.array([row[-1] == larger for row in kept])
    return FolderTable(X, is_larger, sha256(content))


def _index(folder: Path) -> dict[str, dict[str, Any]]:
    return _parse(folder / INDEX, *_stamp(folder / INDEX))


@lru_cache(maxsize=4)
def _parse(path: Path, *written: int) -> dict[str, dict[str, Any]]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))["datasets"]
        tables = {name: entry for name, entry in found.items() if entry.get("kind") != "images"}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise CorruptedDataError(
            f"{path} is no description of tables ({type(error).__name__}: {error}). It is JSON "
            'with one entry per table under "datasets".'
        ) from error
    for name, entry in tables.items():
        lacking = {"file", "positive_class", "negative_class"} - set(entry)
        if lacking:
            raise CorruptedDataError(
                f"{path}: the table {name!r} has no {', '.join(sorted(lacking))}. Every table "
                "says its file, positive_class and negative_class."
            )
    return tables


def _stamp(path: Path) -> tuple[int, int]:
    written = path.stat()
    return written.st_mtime_ns, written.st_size


def _cells(content: bytes, path: Path) -> tuple[list[str], list[list[str]]]:
    try:
        lines = list(csv.reader(io.StringIO(content.decode("utf-8"), newline="")))
    except (UnicodeDecodeError, csv.Error) as error:
        raise CorruptedDataError(f"{path} is not CSV in UTF-8: {error}.") from error
    header, *rows = lines or [[]]
    if len(header) < 2 or header[-1] != "class" or len(set(header)) < len(header):
        raise CorruptedDataError(
            f"{path} has the header {','.join(header)[:60]!r}; it needs different names, the last "
            "one 'class'."
        )
    for number, row in enumerate(rows, start=2):
        if len(row) != len(header):
            raise CorruptedDataError(
                f"{path}, line {number} has {len(row)} cells instead of {len(header)}."
            )
    return header, rows


def _kinds(entry: dict[str, Any], header: list[str], path: Path) -> dict[str, dict[str, Any]]:
    attributes = {one["name"]: one for one in entry.get("attributes", ())}
    if attributes and list(attributes) != header[:-1]:
        raise CorruptedDataError(
            f"{path} has the columns {', '.join(header[:-1])[:60]}; {INDEX} describes "
            f"{', '.join(attributes)[:60]}."
        )
    for name, one in attributes.items():
        ordered = one["kind"] == "ordinal"
        if one["kind"] not in KINDS or (ordered and not one.get("values")):
            raise CorruptedDataError(
                f"{path}, {name}: the kind is {one['kind']!r}; it is one of {', '.join(KINDS)}, "
                "and an ordinal column says its values in order."
            )
    return attributes


def _column(cells: list[str], attribute: dict[str, Any] | None, where: str) -> pd.Series:
    numbers = pd.to_numeric(pd.Series([cell or None for cell in cells]), errors="coerce")
    is_number = not any(bool(cell) for cell in np.array(cells)[numbers.isna().to_numpy()])
    kind: Literal["numeric", "binary", "categorical", "ordinal"] = (
        attribute["kind"] if attribute else "numeric" if is_number else "categorical"
    )
    if kind == "numeric":
        if not is_number:
            raise CorruptedDataError(
                f"{where}: said to be numeric, but some cells are no numbers."
            )
        return numbers.astype(float)
    seen = sorted({cell for cell in cells if cell})
    declared = [str(value) for value in (attribute or {}).get("values") or seen]
    if not set(seen) <= set(declared):
        extra = ", ".join(map(repr, sorted(set(seen) - set(declared))[:5]))
        raise CorruptedDataError(f"{where}: {extra} is not among its declared values.")
    values = [value for value in declared if value in set(seen)]
    dtype = pd.CategoricalDtype(values, ordered=kind == "ordinal")
    return pd.Series(pd.Categorical([cell or None for cell in cells], dtype=dtype))
