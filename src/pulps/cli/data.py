"""``pulps data``: the tables of the paper and toy sets, as files."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import numpy as np
from cyclopts import App

app = App(name="data", help="Tables to experiment with: those of the paper, and toy sets.")


@app.command(name="list")
def list_tables(*, json: bool = False) -> None:
    """List the known tables.

    Parameters
    ----------
    json
        Print the list as JSON.
    """
    from pulps.cli.models import print_json
    from pulps.datasets import table_info, table_names

    infos = [table_info(name) for name in table_names()]
    rows = [
        {
            "name": info.name,
            "positive": info.here.positive,
            "negative": info.here.negative,
            "attributes": info.here.attributes,
            "license": info.license,
        }
        for info in infos
    ]
    if json:
        print_json(rows)
        return
    print(f"{'name':15} {'positive':>8} {'negative':>8} {'attributes':>10}")
    for row in rows:
        counts = f"{row['positive']:8} {row['negative']:8} {row['attributes']:10}"
        print(f"{row['name']:15} {counts}")


@app.command
def show(name: str, /) -> None:
    """Describe a table: classes, counts, citation, license.

    Parameters
    ----------
    name
        A name that `pulps data list` prints.
    """
    from pulps.datasets import table_info

    info = table_info(name)
    print(
        f"{info.name}: {info.here.positive} {info.positive}, {info.here.negative} {info.negative}"
    )
    print(f"attributes: {', '.join(attribute.name for attribute in info.attributes)}")
    for text in (info.note, info.citation, info.license):
        if text:
            print(text)


@app.command
def get(
    name: str,
    /,
    *,
    out: Path,
    label_frequency: float = 0.3,
    seed: int = 0,
    truth: bool = False,
    overwrite: bool = False,
) -> None:
    """Write a table as a PU problem: most labels of its positives are hidden.

    The column `labeled` is 1 for a labeled positive and 0 for an unlabeled row.

    Example: `pulps data get vote --out vote.csv`

    Parameters
    ----------
    name
        A name that `pulps data list` prints. The file is taken from the folder in PULPS_DATA,
        the cache or the network.
    out
        File to write the table to; its ending gives the format.
    label_frequency
        Share of the positives that are labeled.
    seed
        Seed of the choice.
    truth
        Also write the column `truth`.
    overwrite
        Replace the file if it is there already.
    """
    from pulps.cli.paths import check_free_table

    check_free_table(out, overwrite=overwrite)
    from pulps.datasets import load_dataset
    from pulps.labels import hide_labels

    found = load_dataset(name)
    y = hide_labels(found.y, label_frequency=label_frequency, random_state=seed)
    _write(found.X, y, found.y if truth else None, out)


@app.command
def toy(
    name: Literal["moons", "circles", "blobs"],
    /,
    *,
    out: Path,
    rows: int = 1000,
    labeled: int = 100,
    seed: int = 0,
    truth: bool = False,
    overwrite: bool = False,
) -> None:
    """Write a set of points in the plane, some of whose positives are labeled.

    Example: `pulps data toy moons --out moons.csv`

    Parameters
    ----------
    name
        Which set.
    out
        File to write the table to; its ending gives the format.
    rows, labeled
        Number of points, and of labeled positives among them.
    seed
        Seed for everything random.
    truth
        Also write the column `truth`.
    overwrite
        Replace the file if it is there already.
    """
    from pulps.cli.paths import check_free_table

    check_free_table(out, overwrite=overwrite)
    from pulps.datasets import make_toy

    X, y, y_true = make_toy(name, n_rows=rows, n_labeled=labeled, random_state=seed)
    _write(X, y, y_true if truth else None, out)


def _write(X: Any, y: Any, y_true: np.ndarray | None, out: Path) -> None:
    from pulps.cli.paths import tell_written
    from pulps.io.files import write_table

    clash = {"labeled", "truth"} & set(X.columns)
    if clash:
        raise ValueError(
            f"The table already has a column named {clash.pop()}, which would be overwritten."
        )
    table = X.assign(labeled=y)
    write_table(table if y_true is None else table.assign(truth=y_true), out)
    tell_written(out, f"{len(table)} rows, {int(y.sum())} of them labeled")
