"""Tables in which a rule decides: some columns matter, the others do not, and nothing is noise.

A rule is a truth table over the values of a few columns. Hence all that is told about it is
exact: the share of positives a population would have, and which columns matter. Real tables
rarely say either.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from math import comb
from string import ascii_lowercase
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd
from sklearn.utils import check_random_state

RuleKind = Literal["dnf", "relation", "k-of-n", "exactly-k-of-n", "multiplexer", "parity"]
ColumnKind = Literal["categorical", "numeric"]

KINDS: tuple[RuleKind, ...] = (
    "dnf",
    "relation",
    "k-of-n",
    "exactly-k-of-n",
    "multiplexer",
    "parity",
)
LARGEST_TRUTH_TABLE = 2**20


class RuleTable(NamedTuple):
    """Rows, the truth, and the rule behind it.

    Parameters
    ----------
    X : DataFrame
        Columns ``x1``, ``x2``, … in random order of importance.
    y_true : ndarray of int
        1 where the rule holds.
    rule : str
        The rule as a Python expression of the columns.
    relevant : tuple of str
        The columns that can change the class.
    share : float
        Share of positives in the population the rows were drawn from.
    """

    X: pd.DataFrame
    y_true: np.ndarray
    rule: str
    relevant: tuple[str, ...]
    share: float


class _Rule(NamedTuple):
    """What holds for the values of some columns, and how to say it of their names."""

    holds: np.ndarray  # one axis a column, one entry a combination of values
    says: Callable[[Sequence[str]], str]


def make_rules(
    kind: RuleKind,
    *,
    n_rows: int = 1000,
    n_irrelevant: int = 6,
    columns: ColumnKind = "categorical",
    k: int = 4,
    n: int = 6,
    term_size: int = 2,
    n_values: int = 3,
    n_address: int = 2,
    random_state: int | np.random.RandomState | None = None,
) -> RuleTable:
    """Draw a table whose class is decided by a rule, without noise.

    Every cell is drawn on its own and evenly: a category, or a number between 0 and 1 of which
    the rule sees only the part of the interval that it lies in. Where columns stand, and which
    terms a disjunction has, is random.

    ==================  =====================================================  ============
    kind                positive rows                                          share
    ==================  =====================================================  ============
    ``dnf``             any of ``k`` terms holds; a term asks ``term_size``    .28 to .44
                        of ``n`` columns for one of ``n_values`` values each
    ``relation``        two columns are equal; numbers: the first is larger    1/3; 1/2
    ``k-of-n``          at least ``k`` of ``n`` two-valued columns are set     .34
    ``exactly-k-of-n``  exactly ``k`` of them are                              .23
    ``multiplexer``     the column that ``n_address`` columns point to is set  .50
    ``parity``          one of two columns is set, but not both                .50
    ==================  =====================================================  ============

    Parameters
    ----------
    kind : {"dnf", "relation", "k-of-n", "exactly-k-of-n", "multiplexer", "parity"}
        Which rule.
    n_rows : int
        Number of rows.
    n_irrelevant : int
        Columns beside those that the rule looks at, of the same kind.
    columns : {"categorical", "numeric"}
        Kind of all columns.
    k, n : int
        For ``dnf``: terms, and columns to take them from. For ``k-of-n``: set columns that are
        needed, and columns that count.
    term_size : int
        Columns in a term of ``dnf``.
    n_values : int
        Values of a column of ``dnf`` and ``relation``.
    n_address : int
        Columns of ``multiplexer`` that point to one of ``2 ** n_address`` others.
    random_state : int, RandomState or None
        Draws the rule, the order of the columns and the rows.

    Returns
    -------
    RuleTable

    Examples
    --------
    >>> table = make_rules("parity", n_rows=5, n_irrelevant=1, random_state=0)
    >>> print(table.rule, table.relevant, table.share)
    (x3 == 'b') != (x2 == 'b') ('x2', 'x3') 0.5
    >>> print(table.X.assign(y=table.y_true).to_string(index=False))
    x1 x2 x3  y
     b  b  b  0
     a  b  a  1
     b  b  a  1
     b  b  b  0
     b  a  a  0
    """
    if kind not in KINDS:
        raise ValueError(f"There is no rule {kind!r}. Known: {', '.join(KINDS)}.")
    if columns not in ("categorical", "numeric"):
        raise ValueError(f'columns is {columns!r}; use "categorical" or "numeric".')
    if n_rows < 1 or n_irrelevant < 0:
        raise ValueError(
            f"n_rows is {n_rows} and n_irrelevant {n_irrelevant}; ask for at least one row and "
            "no fewer than zero columns."
        )
    rng = check_random_state(random_state)
    n_levels = n_values if kind in ("dnf", "relation") else 2
    if not 2 <= n_levels <= len(ascii_lowercase):
        raise ValueError(f"n_values is {n_values}; a column has 2 to 26 values.")
    condition = _category if columns == "categorical" else _part
    if kind == "dnf":
        rule = _dnf(k, n, term_size, n_levels, condition, rng)
    elif kind == "relation":
        rule = _relation(n_levels, "==" if columns == "categorical" else ">")
    elif kind == "multiplexer":
        rule = _multiplexer(n_address, condition)
    elif kind == "parity":
        rule = _parity(condition)
    else:
        rule = _counting(k, n, kind == "exactly-k-of-n", condition)
    n_asked = rule.holds.ndim
    names = [f"x{i + 1}" for i in range(n_asked + n_irrelevant)]
    places = rng.permutation(len(names))[:n_asked]
    cells = rng.random_sample((n_rows, len(names)))
    edges = np.arange(1, n_levels) / n_levels
    codes = np.searchsorted(edges, cells, side="right")
    asked = [names[place] for place in places]
    if kind == "relation" and columns == "numeric":  # of numbers themselves, not of their parts
        y_true = (cells[:, places[0]] > cells[:, places[1]]).astype(int)
        share, matters = 0.5, [True, True]
    else:
        y_true = rule.holds[tuple(codes[:, places].T)].astype(int)
        share = float(rule.holds.mean())
        matters = [
            bool((rule.holds.any(axis) & ~rule.holds.all(axis)).any()) for axis in range(n_asked)
        ]
    relevant = {name for name, does in zip(asked, matters, strict=True) if does}
    return RuleTable(
        _frame(cells if columns == "numeric" else codes, names, n_levels),
        y_true,
        rule.says(asked),
        tuple(name for name in names if name in relevant),
        share,
    )


def _frame(cells: np.ndarray, names: Sequence[str], n_levels: int) -> pd.DataFrame:
    if cells.dtype == float:
        return pd.DataFrame(cells, columns=list(names))
    letters = list(ascii_lowercase[:n_levels])
    return pd.DataFrame(
        {
            name: pd.Categorical.from_codes(cells[:, i], categories=letters)
            for i, name in enumerate(names)
        }
    )


def _category(name: str, level: int, n_levels: int) -> str:
    return f"{name} == {ascii_lowercase[level]!r}"


def _part(name: str, level: int, n_levels: int) -> str:
    low = f"{level}/{n_levels} <= " if level else ""
    high = f" < {level + 1}/{n_levels}" if level + 1 < n_levels else ""
    return f"{low}{name}{high}"


Condition = Callable[[str, int, int], str]


def _dnf(
    k: int,
    n: int,
    term_size: int,
    n_levels: int,
    condition: Condition,
    rng: np.random.RandomState,
) -> _Rule:
    if not 1 <= term_size <= n:
        raise ValueError(f"term_size is {term_size}; with n={n} columns it lies in 1 to {n}.")
    n_terms = comb(n, term_size) * n_levels**term_size
    if not 1 <= k <= n_terms:
        raise ValueError(
            f"k is {k}; there are {n_terms} different terms, so it lies in 1 to that."
        )
    holds = _nothing(n_levels, n)
    terms: list[tuple[tuple[int, int], ...]] = []
    while len(terms) < k:
        chosen = np.sort(rng.choice(n, term_size, replace=False))
        term = tuple(
            (int(c), int(v))
            for c, v in zip(chosen, rng.randint(n_levels, size=term_size), strict=True)
        )
        if term in terms:
            continue
        terms.append(term)
        wanted = dict(term)
        holds[tuple(wanted.get(axis, slice(None)) for axis in range(n))] = True
    return _Rule(
        holds,
        lambda names: " or ".join(
            "(" + " and ".join(condition(names[c], v, n_levels) for c, v in term) + ")"
            for term in terms
        ),
    )


def _relation(n_levels: int, sign: str) -> _Rule:
    return _Rule(np.eye(n_levels, dtype=bool), lambda names: f"{names[0]} {sign} {names[1]}")


def _counting(k: int, n: int, exactly: bool, condition: Condition) -> _Rule:
    if not 1 <= k <= n:
        raise ValueError(f"k is {k}; with n={n} columns it lies in 1 to {n}.")
    shape = _nothing(2, n).shape
    n_set = np.indices(shape).sum(axis=0)
    sign = "==" if exactly else ">="
    return _Rule(
        n_set == k if exactly else n_set >= k,
        lambda names: " + ".join(f"({condition(name, 1, 2)})" for name in names) + f" {sign} {k}",
    )


def _multiplexer(n_address: int, condition: Condition) -> _Rule:
    if not 1 <= n_address <= 4:
        raise ValueError(f"n_address is {n_address}; it lies in 1 to 4.")
    addresses = list(product((0, 1), repeat=n_address))
    holds = _nothing(2, n_address + len(addresses))
    for pointed, address in enumerate(addresses):
        case: list[int | slice] = [*address, *(slice(None) for _ in addresses)]
        case[n_address + pointed] = 1
        holds[tuple(case)] = True

    def says(names: Sequence[str]) -> str:
        pointers, others = names[:n_address], names[n_address:]
        return " or ".join(
            "("
            + " and ".join(
                condition(name, bit, 2)
                for name, bit in zip((*pointers, other), (*address, 1), strict=True)
            )
            + ")"
            for address, other in zip(addresses, others, strict=True)
        )

    return _Rule(holds, says)


def _parity(condition: Condition) -> _Rule:
    return _Rule(
        ~np.eye(2, dtype=bool),
        lambda names: " != ".join(f"({condition(name, 1, 2)})" for name in names[:2]),
    )


def _nothing(n_levels: int, n: int) -> np.ndarray:
    if n < 1 or n_levels**n > LARGEST_TRUTH_TABLE:
        raise ValueError(
            f"A rule on {n} columns of {n_levels} values has {n_levels}**{n} cases; it looks at 1 "
            f"column at least and has at most {LARGEST_TRUTH_TABLE} cases."
        )
    return np.zeros((n_levels,) * n, dtype=bool)
