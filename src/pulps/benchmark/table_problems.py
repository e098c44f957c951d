"""The development suite as named problems: tables of a folder both ways round, and rule tables.

``churn:common`` is the table ``churn`` with its larger class as the positive one, ``churn:rare``
the same with the smaller one, and ``parity:rule`` a generated table
(:func:`pulps.datasets.make_rules`), drawn anew for every seed. Names say what a problem is and
not where its file lies, so records of one machine mean the same on another.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np
import pandas as pd

from pulps.datasets import load_dataset, make_rules, make_toy
from pulps.datasets.folder import folder_tables, load_folder_table, table_folder
from pulps.datasets.rules import ColumnKind, RuleKind
from pulps.datasets.toy import TOYS

GROUPS = ("common", "rare", "rule")
RULES: dict[str, tuple[RuleKind, ColumnKind]] = {
    "dnf": ("dnf", "categorical"),
    "dnf-numeric": ("dnf", "numeric"),
    "relation": ("relation", "categorical"),
    "relation-numeric": ("relation", "numeric"),
    "k-of-n": ("k-of-n", "categorical"),
    "k-of-n-numeric": ("k-of-n", "numeric"),
    "exactly-k-of-n": ("exactly-k-of-n", "categorical"),
    "multiplexer": ("multiplexer", "categorical"),
    "parity": ("parity", "categorical"),
    "parity-numeric": ("parity", "numeric"),
}
RULE_ROWS = 2000
MAX_TRAIN = 1000
LABEL_FREQUENCIES = (0.1, 0.3)


class Problem(NamedTuple):
    """Rows, the truth, and the checksum of the file they come from, if there is one."""

    X: pd.DataFrame
    y: np.ndarray
    sha256: str | None


def is_table_problem(name: str) -> bool:
    """Tell whether a name is one of this module.

    Parameters
    ----------
    name
        Name of a data set.

    Returns
    -------
    bool
        The answer.

    Examples
    --------
    >>> is_table_problem("churn:rare"), is_table_problem("vote")
    (True, False)
    """
    return name.rpartition(":")[2] in GROUPS and ":" in name


def group_of(name: str) -> str:
    """Tell the group of a problem.

    Parameters
    ----------
    name
        Name of the problem.

    Returns
    -------
    str
        One of ``GROUPS``.

    Examples
    --------
    >>> group_of("churn:rare")
    'rare'
    """
    return name.rpartition(":")[2]


def problem_names(
    chosen: Sequence[str] | None = None, data_home: str | None = None
) -> tuple[list[str], str | None]:
    """List problems, and find the folder if one of them needs it.

    Parameters
    ----------
    chosen
        Names of tables, of rule tables or of problems; None takes all.
    data_home
        Folder of the tables; by default the folder ``develop`` in that of ``PULPS_DATA``.

    Returns
    -------
    names : list of str
        Problems. A table of the folder that is named like a rule table is chosen by the name of
        the problem.
    folder : str or None
        The folder; None if only rule tables are asked for.

    Examples
    --------
    >>> problem_names(["parity"])
    (['parity:rule'], None)
    """
    rules = {f"{name}:rule": name for name in RULES}
    if chosen is not None and set(chosen) <= {*rules, *RULES}:
        return [name for name, rule in rules.items() if {name, rule} & set(chosen)], None
    folder = table_folder(data_home)
    known = {f"{name}:{way}": name for name in folder_tables(folder) for way in GROUPS[:2]}
    known |= rules
    if chosen is None:
        return list(known), str(folder.resolve())
    unknown = sorted(set(chosen) - set(known) - set(known.values()))
    if unknown:
        raise ValueError(
            f"{', '.join(unknown)} is neither a table of {folder} nor a rule table. Known: "
            f"{', '.join(dict.fromkeys(known.values()))}."
        )
    names = [problem for problem, table in known.items() if {problem, table} & set(chosen)]
    return names, str(folder.resolve())


def load_problem(name: str, seed: int, data_home: str | None) -> Problem:
    """Load the rows and true classes of a problem.

    Parameters
    ----------
    name
        Name of the problem.
    seed
        Draws a rule table.
    data_home
        Folder of the tables.

    Returns
    -------
    Problem
        Rows and true classes.

    Examples
    --------
    >>> load_problem("parity:rule", 0, None).X.shape
    (2000, 8)
    """
    table, _, group = name.rpartition(":")
    if group == "rule":
        kind, columns = RULES[table]
        made = make_rules(kind, columns=columns, n_rows=RULE_ROWS, random_state=seed)
        return Problem(made.X, made.y_true, None)
    found = load_folder_table(table_folder(data_home), table)
    positive = found.is_larger if group == "common" else ~found.is_larger
    return Problem(found.X, positive.astype(int), found.sha256)


def load_rows(name: str, seed: int, data_home: str | None = None) -> Problem:
    """Load any table that a task may name: a problem of this module, a toy set, a known table.

    Parameters
    ----------
    name
        Name of the data set.
    seed
        Draws a rule table or a toy set.
    data_home
        Folder of the tables of this module.

    Returns
    -------
    Problem
        Rows and true classes.
    """
    return load_problem(name, seed, data_home) if is_table_problem(name) else _known(name, seed)


@lru_cache(maxsize=4)
def _known(name: str, seed: int) -> Problem:
    if name in TOYS:
        toy = make_toy(cast(Any, name), random_state=seed)
        return Problem(toy.X, toy.y_true, None)
    data = load_dataset(name)
    return Problem(data.X, data.y, None)


def subsample(y_true: np.ndarray, n_rows: int, seed: int) -> np.ndarray:
    """Draw rows at random, both classes in their shares and neither without a row.

    Parameters
    ----------
    y_true
        True classes, 1 and 0.
    n_rows
        Rows to draw.
    seed
        Seed of the draw.

    Returns
    -------
    array of int
        Positions, in their old order.

    Examples
    --------
    >>> y_true = np.arange(100) < 20
    >>> chosen = subsample(y_true, 10, 0)
    >>> len(chosen), int(y_true[chosen].sum())
    (10, 2)
    """
    positive, negative = np.flatnonzero(y_true == 1), np.flatnonzero(y_true == 0)
    n_positive = int(np.clip(round(n_rows * len(positive) / len(y_true)), 1, n_rows - 1))
    rng = np.random.RandomState(seed)
    parts = [
        rng.choice(positive, n_positive, replace=False),
        rng.choice(negative, n_rows - n_positive, replace=False),
    ]
    return np.sort(np.concatenate(parts))


def problem_size(name: str, data_home: str | None) -> int:
    """Estimate the work that a problem makes.

    Parameters
    ----------
    name
        Name of the problem.
    data_home
        Folder of the tables.

    Returns
    -------
    int
        Training rows times attributes.
    """
    n_rows, n_columns = load_problem(name, 0, data_home).X.shape
    return min(n_rows, MAX_TRAIN) * n_columns


def changed_tables(
    problems: Iterable[tuple[str, str | None]], stored: Iterable[dict[str, Any]]
) -> list[tuple[str, Path]]:
    """Find tables that are not those of which there are records.

    Parameters
    ----------
    problems
        Names and folders.
    stored
        Records.

    Returns
    -------
    list
        Name and folder of each table that has changed.
    """
    wanted = {(name, home) for name, home in problems if group_of(name) != "rule" and home}
    if not wanted:
        return []
    before = {record["dataset"]: record.get("data_sha256") for record in stored}
    return sorted(
        (name, Path(home))
        for name, home in wanted
        if home and before.get(name) not in (None, load_problem(name, 0, home).sha256)
    )
