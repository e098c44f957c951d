"""``pulps report``."""

from __future__ import annotations

from pathlib import Path

from pulps.cli.tables import FileOptions, open_table


def report(
    model: Path,
    table: Path,
    /,
    *,
    out: Path | None = None,
    label: str | None = None,
    positive: str | None = None,
    id: str | None = None,
    rows: int | None = None,
    title: str | None = None,
    overwrite: bool = False,
    json: bool = False,
    files: FileOptions | None = None,
) -> None:
    """Write an HTML page on what was learned and which rows are most likely positive.

    Of a model of several classes it lists the rows most likely of each. The page opens without a
    network. It contains rows of the table.

    Example: `pulps report model.pulps customers.csv --label bought --out report.html`

    Parameters
    ----------
    model
        File written by `pulps fit`.
    table
        CSV, TSV, JSON lines, Parquet, Arrow or Excel file; `-` is standard input.
    out
        File to write the page to.
    label
        The column that marks labeled positives or names classes; without it every row counts as
        unlabeled.
    positive
        The value of a labeled positive, if the column holds words.
    id
        The column that names rows, such as a customer number; it is shown, and not learned from.
    rows
        Number of unlabeled rows to list: 200 by default, or 20 of each of several classes.
    title
        Heading of the page.
    overwrite
        Replace the file if it is there already.
    json
        Print the data of the report as JSON.
    files
        How the file is written.
    """
    from pulps.cli.models import (
        kind_of,
        open_model,
        print_json,
        read_class_labels,
        read_labels,
    )
    from pulps.cli.paths import check_free, check_model, check_table, tell_written
    from pulps.io.files import check_column, name_of

    if out is None and not json:
        raise ValueError(
            "There is nowhere to write to. Name a file for the page, such as --out report.html."
        )
    check_model(model)
    check_table(table)
    if out is not None:
        check_free(out, model, table, overwrite=overwrite)
    fitted = open_model(model, any_classes=True)
    opened = open_table(table, files)
    several, y = kind_of(fitted) == "classes", None
    if label is not None and several:
        y = read_class_labels(opened.frame, label, name_of(table))
    elif label is not None:
        labeled = read_labels(opened.frame, label, name_of(table), positive)
        y = fitted.classes_[labeled.astype(int)]
    if id is not None:
        check_column(id, opened.frame.columns, name_of(table))
    made = fitted.report(
        opened.rows_of(fitted, name_of(table), certain=bool(files and files.decimal)),
        y,
        ids=None if id is None else opened.frame[id],
        title=title or f"Report on {name_of(table)}",
        n_rows=rows,
    )
    if out is not None:
        made.save(out)
    if json:
        print_json(made.data)
    elif out is not None:
        found = made.data["answer"]["how_many"].rstrip(".")
        tell_written(out, f"a report on {len(opened.frame)} rows. {found}")
