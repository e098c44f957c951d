"""``pulps check``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from pulps.cli.pictures import is_picture, write_picture
from pulps.cli.tables import FileOptions, open_table

DRIFT = 3  # exit code


def check(
    model: Path,
    table: Path,
    /,
    *,
    out: Annotated[list[Path] | None, Parameter(negative=())] = None,
    limit: float = 0.15,
    level: float = 0.01,
    overwrite: bool = False,
    json: bool = False,
    files: FileOptions | None = None,
) -> int:
    """Tell whether new rows are like those a model was fitted on.

    Every column and the score are compared with the fit. The exit code is 0 if nothing has
    drifted, 3 if something has, and 2 if the rows could not be checked.

    Example: `pulps check model.pulps june.csv || echo "look at june.csv"`

    Example: `pulps check model.pulps june.csv --out distances.csv --out distances.png`

    Parameters
    ----------
    model
        File written by `pulps fit`.
    table
        CSV, TSV, JSON lines, Parquet, Arrow or Excel file with new rows; `-` is standard input.
    out
        File to write the distances of all columns to: a picture if it ends with .png, .svg or
        .pdf, the table otherwise. May be repeated.
    limit
        Distance above which a drift counts, from 0 to 1.
    level
        Chance of a false alarm where nothing has changed.
    overwrite
        Replace the file if it is there already.
    json
        Print what was found as JSON.
    files
        How the file is written.

    Returns
    -------
    int
        The exit code.
    """
    from pulps.cli.models import open_model, print_json
    from pulps.cli.paths import (
        check_free,
        check_free_table,
        check_model,
        check_table,
        tell_written,
    )
    from pulps.io.files import name_of, write_table

    check_model(model)
    check_table(table)
    outputs = out or []
    for path in outputs:
        check_place = check_free if is_picture(path) else check_free_table
        check_place(path, model, table, overwrite=overwrite)
    fitted = open_model(model)
    opened = open_table(table, files)
    rows = opened.rows_of(fitted, name_of(table), certain=bool(files and files.decimal))
    from pulps.estimators.questions.drift import check_drift

    found = check_drift(fitted, rows, limit=limit, level=level)
    distances = found.table.reset_index()
    for path in outputs:
        if is_picture(path):
            from pulps.displays.drift import MOST_COLUMNS, DriftDisplay

            write_picture(DriftDisplay(found).plot, path, min(len(distances), MOST_COLUMNS))
        else:
            write_table(distances, path)
        tell_written(path, f"distances of {len(distances) - 1} columns and of the score")
    if json:
        print_json(
            {
                "alarm": found.alarm,
                "drifted": found.drifted,
                "n_rows": found.n_rows,
                "called_before": found.called_before,
                "called_now": found.called_now,
                "limit": found.limit,
                "columns": distances.to_dict("records"),
            }
        )
    else:
        print(found)
    return DRIFT if found.alarm else 0
