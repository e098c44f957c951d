"""Tables of images with ten classes, and of classes of which some have no labels."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import pandas as pd

from pulps.benchmark.render import NOTHING, Cell, Table
from pulps.benchmark.semi.image_rivals import IMAGE_METHODS
from pulps.benchmark.semi.open_set import OPEN_METHODS
from pulps.benchmark.semi.rivals import SemiMethod


def image_tables(records: pd.DataFrame) -> list[Table]:
    """Accuracy on test images and on unlabeled training images.

    Parameters
    ----------
    records
        Of the suite "semi-images", one row each.

    Returns
    -------
    list of Table
    """
    return [
        _table(
            records,
            IMAGE_METHODS,
            f"{kind}_accuracy",
            f"Ten classes of images, accuracy on {rows}",
            lambda count: f"{count:g} per class",
            reverse=True,
        )
        for kind, rows in (("inductive", "test images"), ("transductive", "unlabeled images"))
    ]


def open_tables(records: pd.DataFrame) -> list[Table]:
    """Macro-F1 with "none of these" as a class.

    Parameters
    ----------
    records
        Of the suite "open-set", one row each.

    Returns
    -------
    list of Table
    """
    return [
        _table(
            records,
            OPEN_METHODS,
            f"{kind}_macro_f1",
            f"Open set, macro-F1 on {rows}",
            lambda count: f"{count:g} known",
        )
        for kind, rows in (("inductive", "test rows"), ("transductive", "unlabeled rows"))
    ]


def _table(
    records: pd.DataFrame,
    methods: Mapping[str, SemiMethod],
    measure: str,
    title: str,
    name_count: Callable[[float], str],
    *,
    reverse: bool = False,
) -> Table:
    """Mean over folds and seeds: one line per method, one column per data set and count."""
    good = _paired(records)
    means = good.pivot_table(
        index="method", columns=["dataset", "label_frequency"], values=measure, aggfunc="mean"
    )
    columns: Sequence[tuple[str, float]] = sorted(
        means.columns, key=lambda one: (one[0], -one[1] if reverse else one[1])
    )
    rows = []
    for name, method in methods.items():
        if name not in means.index:
            continue
        cells = [Cell(method.title)]
        for column in columns:
            value = means.loc[name, column]
            best = means[column].max()
            cells.append(
                NOTHING if pd.isna(value) else Cell(f"{value:.3f}", bold=bool(value == best))
            )
        rows.append(cells)
    header = ["method", *(f"{name}, {name_count(count)}" for name, count in columns)]
    sizes = good.groupby(["dataset", "label_frequency"])["task"].nunique()
    note = f"Draws of labels, the same for all methods: {from_to(sizes)}."
    return Table(title, header, rows, [note])


def _paired(records: pd.DataFrame) -> pd.DataFrame:
    """Keep draws that every method of a column has, so that means are of the same draws."""
    good = records[records["error"].isna()].drop_duplicates(["task", "method"], keep="last")
    column = good.groupby(["dataset", "label_frequency"])["method"].transform("nunique")
    return good[good.groupby("task")["method"].transform("nunique") == column]


def from_to(sizes: pd.Series) -> str:
    """Say how many there are: one number if all agree.

    Parameters
    ----------
    sizes
        Counts.

    Returns
    -------
    str

    Examples
    --------
    >>> from_to(pd.Series([3, 3])), from_to(pd.Series([1, 3]))
    ('3', '1 to 3')
    """
    low, high = sizes.min(), sizes.max()
    return str(low) if low == high else f"{low} to {high}"


TABLES_OF = {"semi-images": image_tables, "open-set": open_tables}
