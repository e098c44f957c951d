"""``pulps report``."""

from __future__ import annotations

import sys
from pathlib import Path


def report(
    model: Path,
    table: Path,
    /,
    *,
    out: Path | None = None,
    label: str | None = None,
    positive: str | None = None,
    id: str | None = None,
    rows: int = 200,
    title: str | None = None,
    json: bool = False,
):
    """Write an HTML page on what was learned and which rows are most likely positive.

    The page opens without a network. It contains rows of the table.

    Example: `pulps report model.pulps customers.csv --label bought --out report.html`

    Parameters
    ----------
    model
        File written by `pulps fit`.
    table
        CSV, TSV, Parquet or Arrow file, optionally compressed; `-` is standard input.
    out
        File to write the page to.
    label
        The column that marks labeled positives; without it every row counts as unlabeled.
    positive
        The value of a labeled positive, if the column holds words.
    id
        The column that names rows, such as a customer number; it is shown, and not learned from.
    rows
        Number of unlabeled rows to list.
    title
        Heading of the page.
    json
        Print the data of the report as JSON.
    """
    from pulps.cli.models import open_model, print_json, read_labels
    from pulps.io.files import check_column, check_writable, name_of, read_table
    from pulps.scale.columns import model_rows

    if out is None and not json:
        raise ValueError(
            "There is nowhere to write to. Name a file for the page, such as --out report.html."
        )
    if out is not None:
        check_writable(out)
    fitted = open_model(model)
    frame = read_table(table)
    y = None
    if label is not None:
        labeled = read_labels(frame, label, name_of(table), positive)
        y = fitted.classes_[labeled.astype(int)]
    if id is not None:
        check_column(id, frame.columns, name_of(table))
    made = fitted.report(
        model_rows(fitted, frame, name_of(table)),
        y,
        ids=None if id is None else frame[id],
        title=title or f"Report on {name_of(table)}",
        n_rows=rows,
    )
    if out is not None:
        made.save(out)
    if json:
        print_json(made.data)
    else:
        print(f"Wrote {out}. {made.data['answer']['how_many']}", file=sys.stderr)
