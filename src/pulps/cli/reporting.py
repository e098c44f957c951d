"""``pulps report``."""

from __future__ import annotations

from pathlib import Path


def report(
    model: Path,
    table: Path,
    /,
    *,
    out: Path | None = None,
    label: str | None = None,
    positive: str | None = None,
    rows: int = 200,
    title: str | None = None,
    json: bool = False,
):
    """Write one HTML page: what was learned, and which rows are most likely positive.

    The page opens without a network and holds rows of the table.

    Example: `pulps report model.pulps customers.csv --label bought --out report.html`

    Parameters
    ----------
    model
        File written by `pulps fit`.
    table
        CSV, TSV, Parquet or Arrow file, also compressed, or `-` for standard input.
    out
        File for the page.
    label
        Column that marks labeled positives; without it every row counts as unlabeled.
    positive
        Value of a labeled positive, if the column holds words.
    rows
        Unlabeled rows to list.
    title
        Heading of the page.
    json
        Print the data of the report for machines.
    """
    from pulps.cli.models import column_of, name_of, open_model, print_json, rows_for
    from pulps.io.files import check_writable, read_table
    from pulps.labels import read_label_column

    if out is None and not json:
        raise ValueError("Name a file for the page with --out, such as --out report.html.")
    if out is not None:
        check_writable(out)
    fitted = open_model(model)
    frame = read_table(table)
    y = None
    if label is not None:
        marked = read_label_column(column_of(frame, label, name_of(table)), positive)
        y = fitted.classes_[marked.astype(int)]
    made = fitted.report(
        rows_for(fitted, frame, name_of(table)),
        y,
        title=title or f"Report on {name_of(table)}",
        n_rows=rows,
    )
    if out is not None:
        made.save(out)
    if json:
        print_json(made.data)
