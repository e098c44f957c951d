"""``pulps check``."""

from __future__ import annotations

from pathlib import Path

from pulps.cli.tables import FileOptions, open_table

DRIFT = 3  # exit code


def check(
    model: Path,
    table: Path,
    /,
    *,
    out: Path | None = None,
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

    Parameters
    ----------
    model
        File written by `pulps fit`.
    table
        CSV, TSV, JSON lines, Parquet, Arrow or Excel file with new rows; `-` is standard input.
    out
        File to write the distances of all columns to; its ending gives the format.
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
    """
    from pulps.cli.models import open_model, print_json
    from pulps.cli.paths import check_free_table, check_model, check_table, tell_written
    from pulps.io.files import name_of, write_table

    check_model(model)
    check_table(table)
    if out is not None:
        check_free_table(out, model, table, overwrite=overwrite)
    fitted = open_model(model)
    opened = open_table(table, files)
    rows = opened.rows_of(fitted, name_of(table), certain=bool(files and files.decimal))
    from pulps.estimators.questions.drift import check_drift

    found = check_drift(fitted, rows, limit=limit, level=level)
    distances = found.table.reset_index()
    if out is not None:
        write_table(distances, out)
        tell_written(out, f"distances of {len(distances) - 1} columns and of the score")
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
