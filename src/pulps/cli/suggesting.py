"""``pulps suggest``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Literal

from pulps.cli.tables import FileOptions, open_table


def suggest(
    model: Path,
    table: Path,
    /,
    *,
    n: int = 20,
    how: Literal["diverse", "uncertain", "likely"] = "diverse",
    label: str | None = None,
    positive: str | None = None,
    answered: str | None = None,
    out: Path = Path("-"),
    overwrite: bool = False,
    json: bool = False,
    files: FileOptions | None = None,
) -> None:
    """Name the rows of a table to look at next.

    Writes these rows, the most wanted first, with two more columns in front: `row`, its number in
    the table counted from 1, and `probability`. Enter the answers in the table, fit again, and ask
    again.

    Example: `pulps suggest model.pulps customers.csv --n 20 --label bought --out next.csv`

    Parameters
    ----------
    model
        File written by `pulps fit`.
    table
        CSV, TSV, JSON lines, Parquet, Arrow or Excel file; `-` is standard input.
    n
        How many rows.
    how
        Rows that could be positive and are unlike each other and all that are known, whose
        answers teach most; those nearest to the cut; or those most likely positive.
    label
        The column that marks labeled positives, and perhaps known negatives, which are not named
        again.
    positive
        The value of a labeled positive, if the column holds words.
    answered
        A column that is filled for rows that were looked at, whatever was found; these are not
        named again.
    out
        File to write the rows to; its ending gives the format. `-` is standard output.
    overwrite
        Replace the file if it is there already.
    json
        Print the numbers and probabilities of the rows as JSON.
    files
        How the file is written.
    """
    from pulps.cli.models import open_model, print_json, read_labels
    from pulps.cli.paths import check_free_table, check_model, check_table, tell_written
    from pulps.io.files import STANDARD, check_column, name_of, write_table

    if n < 1:
        raise ValueError(f"--n is {n}. Ask for at least one row.")
    check_model(model)
    check_table(table)
    check_free_table(out, model, table, overwrite=overwrite)
    fitted = open_model(model)
    opened = open_table(table, files)
    import numpy as np

    from pulps.labels import missing_labels

    known = np.zeros(len(opened.frame), dtype=bool)
    if label is not None:
        known |= read_labels(opened.frame, label, name_of(table), positive) != 0
    if answered is not None:
        check_column(answered, opened.frame.columns, name_of(table))
        known |= ~missing_labels(opened.frame[answered].to_numpy())
    if label is None and answered is None:
        print(
            "Rows that are known already may be among these: name the column that tells, with "
            "--label or --answered.",
            file=sys.stderr,
        )
    rows = opened.rows_of(fitted, name_of(table), certain=bool(files and files.decimal))
    chosen = fitted.suggest(rows, n, how=how, y=fitted.classes_[known.astype(int)])
    probability = fitted.predict_proba(rows.iloc[chosen])[:, 1]
    if json:
        pairs = zip(chosen.tolist(), probability.tolist(), strict=True)
        print_json([{"row": row + 1, "probability": chance} for row, chance in pairs])
        if out == STANDARD:
            return
    wanted = opened.frame.iloc[chosen].reset_index(drop=True)
    taken = [name for name in ("row", "probability") if name in wanted]
    wanted = wanted.rename(columns={name: f"{name} in the table" for name in taken})
    wanted.insert(0, "row", chosen + 1)
    wanted.insert(1, "probability", probability.round(4))
    write_table(wanted, out)
    tell_written(out, f"{len(wanted)} rows to look at next")
