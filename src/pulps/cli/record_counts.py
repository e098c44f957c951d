"""How many records of each problem every method has: a grid that fits a terminal."""

from __future__ import annotations

import pandas as pd
from rich.console import Console
from rich.table import Table


def show_counts(records: pd.DataFrame) -> None:
    """Print a line per problem and a narrow column per method, named by a letter, then the names.

    Where even that is wider than the terminal, lines wrap; no column is cut to nothing.

    Parameters
    ----------
    records
        Records of a store, one per task and method.
    """
    methods = list(dict.fromkeys(records["method"]))
    letters = [column_letters(number) for number in range(len(methods))]
    shares = records["label_frequency"].notna().any()
    amounts = "label_frequency" if shares else "n_labeled"
    counts = records.groupby(["dataset", amounts, "method"]).size()
    grid = Table(box=None, padding=(0, 1, 0, 0))
    for title in ("data set", "labeled", *letters):
        grid.add_column(title, no_wrap=True)
    for name in dict.fromkeys(records["dataset"]):
        for amount in sorted(records[amounts].unique()):
            found = [str(counts.get((name, amount, method), "·")) for method in methods]
            grid.add_row(name, f"{amount:.0%}" if shares else str(amount), *found)
    needed = Console(width=10_000).measure(grid).maximum
    Console(width=max(Console().width, needed)).print(grid)
    for letter, method in zip(letters, methods, strict=True):
        print(f"{letter}: {method}")


def column_letters(number: int) -> str:
    """Count a, b, ..., z, aa, ab.

    Parameters
    ----------
    number
        From 0.

    Returns
    -------
    str

    Examples
    --------
    >>> [column_letters(number) for number in (0, 25, 26, 52)]
    ['a', 'z', 'aa', 'ba']
    """
    first, last = divmod(number, 26)
    return (column_letters(first - 1) if first else "") + chr(ord("a") + last)
