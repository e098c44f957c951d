"""The numbers the paper prints, as data.

One CSV file per table, cells as printed (``±`` and bold face too), plus ``columns.csv``, which
says what each column measures, and ``printed_statistics.csv``, the numbers in the text.
The table of F1 scores mixes classes: ``class_scored`` says for every cell whether it is the
F1 of the class that is *positive here* (the larger one), of the negative one, or unclear.
"""

from __future__ import annotations

from importlib.resources import as_file, files

import pandas as pd

TABLES = (
    "categorical_f1",
    "categorical_summary",
    "columns",
    "dataset_characteristics",
    "mnist_one_vs_one",
    "mnist_one_vs_rest",
    "printed_statistics",
)


def load_published(table: str) -> pd.DataFrame:
    """Read one of the published tables.

    Parameters
    ----------
    table
        One of ``TABLES``.

    Returns
    -------
    DataFrame
        Cells as printed.

    Examples
    --------
    >>> cells = load_published("categorical_f1")
    >>> int(cells.query("method == 'TN'").bold.sum())
    32
    """
    if table not in TABLES:
        raise ValueError(f"No published table {table!r}. Known: {', '.join(TABLES)}.")
    with as_file(files(__package__) / f"{table}.csv") as path:
        return pd.read_csv(path, dtype={"digit": str})


def published_scores(table: str = "categorical_f1") -> pd.DataFrame:
    """Lay published scores out as statistics take them.

    For ``"mnist_one_vs_rest"`` the paper's statistics use TN with 100 labels (beside GANs
    with 50), and so does this.

    Parameters
    ----------
    table
        ``"categorical_f1"`` or ``"mnist_one_vs_rest"``.

    Returns
    -------
    DataFrame
        One row per task, one column per method.
    """
    cells = load_published(table)
    if table == "categorical_f1":
        wide = cells.pivot(index=["dataset", "percent"], columns="method", values="value")
    elif table == "mnist_one_vs_rest":
        rows = cells.query("digit != 'average' and (method != 'TN' or n_labeled == 100)")
        wide = rows.pivot(index="digit", columns="method", values="value")
    else:
        raise ValueError(f"{table!r} holds no scores of several methods on several tasks.")
    return wide[list(dict.fromkeys(cells["method"]))]
