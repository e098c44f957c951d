"""What is odd about the cells of a table, counted and told in one sentence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from pulps.io.calls import warn_caller
from pulps.io.naming import quoted, shown, some

SHOWN = 3


class TableWarning(UserWarning):
    """Something about a table is to be doubted: its cells, its columns or its labels."""


class UnseenWarning(TableWarning):
    """Cells hold what the fit never saw.

    Parameters
    ----------
    cells
        What was counted.
    """

    def __init__(self, cells: Cells):
        super().__init__(str(cells))
        self.cells = cells


class Cells:
    """Cells of a table that a model could not use as they are.

    Attributes
    ----------
    n_rows : int
        Rows that were read.
    n_known : Counter
        For each column, cells that were not empty.
    unseen : dict of Counter
        For each column, the categories that the fit did not see.
    infinite : Counter
        For each column, infinite numbers.
    """

    def __init__(self) -> None:
        self.n_rows = 0
        self.n_known: Counter[Any] = Counter()
        self.unseen: dict[Any, Counter[Any]] = {}
        self.infinite: Counter[Any] = Counter()

    def add(self, name: Any, n_known: int, unseen: Iterable[Any], n_infinite: int = 0) -> None:
        """Count cells of one column.

        Parameters
        ----------
        name
            Name of the column.
        n_known
            Cells that are not empty.
        unseen
            Cells that hold a category the fit did not see.
        n_infinite
            Cells that hold infinity.
        """
        self.n_known[name] += n_known
        counted = Counter(unseen)
        if counted:
            self.unseen.setdefault(name, Counter()).update(counted)
        if n_infinite:
            self.infinite[name] += n_infinite

    def merge(self, other: Cells) -> None:
        """Add what was counted elsewhere.

        Parameters
        ----------
        other
            Cells of other rows.
        """
        self.n_rows += other.n_rows
        self.n_known += other.n_known
        self.infinite += other.infinite
        for name, counted in other.unseen.items():
            self.unseen.setdefault(name, Counter()).update(counted)

    def __bool__(self) -> bool:
        """Whether there is anything to tell."""
        return bool(self.unseen or self.infinite)

    def __str__(self) -> str:
        """Tell columns, counts and examples."""
        told = []
        for name, counted in self.unseen.items():
            examples = ", ".join(
                f"{quoted(str(value))} ({count})" for value, count in counted.most_common(SHOWN)
            )
            more = ", …" * (len(counted) > SHOWN)
            every = counted.total() == self.n_known[name]
            which = f"all {self.n_known[name]}" if every else f"{counted.total()}"
            told.append(f"{shown(name)}: {which} cells: {examples}{more}")
        sentences = []
        if told:
            sentences.append(
                "Categories that the fit did not see count as missing. " + some(told) + "."
            )
        if self.infinite:
            names = some([f"{shown(name)} ({n})" for name, n in self.infinite.items()], ", ")
            sentences.append(
                f"Infinite numbers count as the largest or smallest of the fit: {names}."
            )
        return " ".join(sentences)

    def warn(self) -> None:
        """Warn at the user's line, if there is anything to tell."""
        if self:
            warn_caller(UnseenWarning(self), UnseenWarning)
