"""``pulps compare``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from pulps.cli.pictures import is_picture, write_picture
from pulps.cli.tables import ColumnOptions, FileOptions, open_table

if TYPE_CHECKING:
    import pandas as pd


def compare(
    table: Path,
    /,
    *,
    label: str,
    positive: str | None = None,
    out: Annotated[list[Path] | None, Parameter(negative=())] = None,
    method: Annotated[list[str] | None, Parameter(negative=())] = None,
    prior: float | None = None,
    folds: int = 5,
    seed: int = 0,
    overwrite: bool = False,
    json: bool = False,
    files: FileOptions | None = None,
    roles: ColumnOptions | None = None,
) -> None:
    """Compare methods on a table, and tell which one to take and how sure that is.

    A naive forest, Elkan–Noto, PU bagging, spies, nnPU and the consensus of `pulps fit` score
    every row by models that did not see it. The area under the ROC curve has an interval from
    resampled rows, and so has the difference to the best.

    Example: `pulps compare customers.csv --label bought --out methods.csv --out methods.png`

    Parameters
    ----------
    table
        CSV, TSV, JSON lines, Parquet, Arrow or Excel file; `-` is standard input.
    label
        The column that marks labeled positives: 1 for a labeled positive, 0 or blank for an
        unlabeled row. Known negatives (-1) count as unlabeled here.
    positive
        The value of a labeled positive, if the column holds words.
    out
        File to write: a picture if it ends with .png, .svg or .pdf, the table otherwise. May be
        repeated.
    method
        Method to compare, such as "spies" or "LPSClassifier". May be repeated; all but
        LPSClassifier are compared otherwise.
    prior
        Share of positives among all rows, if it is known.
    folds
        Number of folds.
    seed
        Seed for everything random.
    overwrite
        Replace files that are there already.
    json
        Print the table and the advice as JSON.
    files
        How the file is written.
    roles
        What its columns are.
    """
    from pulps.cli.models import print_json, read_labels
    from pulps.cli.paths import check_free, check_free_table, check_table, tell_written
    from pulps.io.files import name_of, write_table

    check_table(table)
    outputs = out or []
    for path in outputs:
        check = check_free if is_picture(path) else check_free_table
        check(path, table, overwrite=overwrite)
    opened = open_table(table, files)
    labeled = read_labels(opened.frame, label, name_of(table), positive) == 1
    frame = opened.frame.drop(columns=label)
    given = {name: role for name, role in opened.roles.items() if name != label}
    given |= (roles or ColumnOptions()).roles(list(frame.columns), name_of(table))
    from pulps.comparison import compare as compare_methods

    found = compare_methods(
        _as_roles_say(frame, given),
        labeled.astype(int),
        methods=method,
        prior=prior,
        cv=folds,
        random_state=seed,
        tell=lambda name: print(f"fitting {name}", file=sys.stderr),
    )
    for path in outputs:
        if is_picture(path):
            write_picture(found.plot, path, len(found.table))
        else:
            write_table(found.table.reset_index(), path)
        tell_written(path, f"a comparison of {len(found.table)} methods")
    if json:
        print_json(
            {
                "best": found.best,
                "chance": found.chance,
                "advice": found.advice,
                "prior": found.prior,
                "methods": found.table.reset_index().to_dict("records"),
            }
        )
    else:
        print(found)


def _as_roles_say(frame: pd.DataFrame, roles: dict[str, str]) -> pd.DataFrame:
    """Leave out what is to be left out, and make categories of what is to be one."""
    gone = [name for name, role in roles.items() if role in ("out", "identifier", "text")]
    kept = frame.drop(columns=[name for name in gone if name in frame])
    words = [name for name, role in roles.items() if role == "category" and name in kept]
    return kept.astype(dict.fromkeys(words, "category"))
