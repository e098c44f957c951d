"""``pulps report``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from pulps.cli.pictures import PICTURES, is_picture, write_pictures
from pulps.cli.tables import FileOptions, open_table
from pulps.io.files import STANDARD

PAGES = (".html", ".htm", "")


def report(
    model: Path,
    table: Path,
    /,
    *,
    out: Annotated[list[Path] | None, Parameter(negative=())] = None,
    label: str | None = None,
    positive: str | None = None,
    negative: str | None = None,
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

    Example: `pulps report model.pulps customers.csv --label bought --out curves.png`

    Parameters
    ----------
    model
        File written by `pulps fit`.
    table
        CSV, TSV, JSON lines, Parquet, Arrow or Excel file; `-` is standard input.
    out
        File to write the page to; if it ends with .png, .svg or .pdf, a picture of curves: ROC,
        precision over recall, and what other shares of positives would change, from the rows of
        the fit. May be repeated.
    label
        The column that marks labeled positives or names classes; without it every row counts as
        unlabeled.
    positive
        The value of a labeled positive, if the column holds words.
    negative
        The value of a row that is known to be negative; such rows are not listed.
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

    if rows is not None and rows < 1:
        raise ValueError(f"--rows is {rows}. List at least one row.")
    pages, pictures = _sorted(out or [])
    if not out and not json:
        raise ValueError(
            "There is nowhere to write to. Name a file for the page, such as --out report.html."
        )
    check_model(model)
    check_table(table)
    for path in out or []:
        check_free(path, model, table, overwrite=overwrite)
    _check_pages(pages)
    fitted = open_model(model, any_classes=True)
    opened = open_table(table, files)
    several, y = kind_of(fitted) == "classes", None
    if label is not None and several:
        y = read_class_labels(opened.frame, label, name_of(table))
    elif label is not None:
        y = read_labels(opened.frame, label, name_of(table), positive, negative)
        if fitted.classes_[1] != 1:  # fitted with words
            y = fitted.classes_[(y == 1).astype(int)]
    if id is not None:
        check_column(id, opened.frame.columns, name_of(table))
    for path in pictures:
        _draw_curves(fitted, path)
    if pages or json:
        made = fitted.report(
            opened.rows_of(fitted, name_of(table), certain=bool(files and files.decimal)),
            y,
            ids=None if id is None else opened.frame[id],
            title=title or f"Report on {name_of(table)}",
            n_rows=rows,
        )
    for path in pages:
        made.save(path)
    if json:
        print_json(made.data)
        return
    for path in pages:
        found = made.data["answer"]["how_many"].rstrip(".")
        tell_written(path, f"a report on {len(opened.frame)} rows. {found}")
    for path in pictures:
        tell_written(path, "curves with bands, and scores under other shares of positives")


def _sorted(paths: list[Path]) -> tuple[list[Path], list[Path]]:
    """Pages, and pictures."""
    return [p for p in paths if not is_picture(p)], [p for p in paths if is_picture(p)]


def _check_pages(paths: list[Path]) -> None:
    """Refuse a page whose name says that it is something else."""
    for path in paths:
        if path == STANDARD:
            raise ValueError("A page cannot go to standard output. Name a file with --out.")
        if path.suffix.lower() not in PAGES:
            raise ValueError(
                f"{path} is the name of neither a page nor a picture. End it with .html for the "
                f"page, or with {', '.join(PICTURES[:-1])} or {PICTURES[-1]} for curves."
            )


def _draw_curves(fitted: Any, path: Path) -> None:
    if not hasattr(fitted, "threshold_report_"):
        raise ValueError(
            f"A {type(fitted).__name__} has no curves of labeled against unlabeled rows. Name a "
            "file that ends with .html for the page."
        )
    from pulps.displays import PriorSensitivityDisplay, PUPrecisionRecallDisplay, PURocDisplay

    kinds: list[Any] = [PURocDisplay, PUPrecisionRecallDisplay, PriorSensitivityDisplay]

    def draw_with(kind: Any) -> Callable[[Any], object]:
        return lambda axes: kind.from_estimator(fitted, ax=axes)

    write_pictures([draw_with(kind) for kind in kinds], path, 6)
