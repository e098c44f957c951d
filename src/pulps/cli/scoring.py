"""``pulps predict``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Literal

from pulps.cli.tables import FileOptions


def predict(
    model: Path,
    table: Path,
    /,
    *,
    out: Path = Path("-"),
    format: Literal["csv", "tsv", "jsonl", "parquet", "arrow", "xlsx"] | None = None,
    overwrite: bool = False,
    parts: Path | None = None,
    json: bool = False,
    files: FileOptions | None = None,
) -> None:
    """Score the rows of a table with a fitted model.

    Writes the table with three more columns: `positive` (1 or 0), `probability`, and
    `decision`, which is above 0 for rows called positive. Rows are read and written in chunks,
    so the table may be larger than memory. A model of several classes writes two columns, `class`
    and the `probability` of that class.

    Example: `pulps predict model.pulps customers.csv --out scored.csv`

    Example: `cat customers.csv | pulps predict model.pulps - > scored.csv`

    Example: `pulps predict model.pulps large.parquet --parts scored`

    Parameters
    ----------
    model
        File written by `pulps fit`.
    table
        CSV, TSV, JSON lines, Parquet, Arrow or Excel file with the columns of the fit; others
        are kept as they are. `-` is standard input. A model that was fitted on an array
        looks for columns named x0, x1 and so on.
    out
        File to write the scored table to; its ending gives the format. `-` is standard output.
    format
        Format to write, where the ending does not tell.
    overwrite
        Replace the file if it is there already.
    parts
        Folder to write the scored table to, in parts, instead of `--out`; the table is a Parquet
        file or a folder of them. If it is stopped, run it again: it goes on, and no row is scored
        twice.
    json
        Print as JSON how many rows are called positive.
    files
        How the file is written.
    """
    from pulps.cli.models import kind_of, open_model, print_json
    from pulps.cli.paths import check_free_table, check_model, check_table, tell_written
    from pulps.io.files import STANDARD

    if json and out == STANDARD and parts is None:
        raise ValueError(
            "--json and the table would both go to standard output. Name a file with --out."
        )
    check_model(model)
    if parts is not None:
        _predict_parts(model, table, parts, out, json)
        return
    check_table(table)
    check_free_table(out, model, table, overwrite=overwrite, format=format)
    reading = (files or FileOptions()).reading()
    from pulps.scale import score_file

    fitted = open_model(model, any_classes=True)
    scored = score_file(fitted, table, out, format=format, reading=reading)
    if json:
        counts = {"n_rows": scored.n_rows, "n_positive": scored.n_positive}
        print_json(counts | {"read": scored.told, "out": str(out)})
        return
    if out != STANDARD:
        print(scored.told, file=sys.stderr)
    called = f", {scored.n_positive} of them called positive"
    tell_written(out, f"{scored.n_rows} rows{'' if kind_of(fitted) == 'classes' else called}")


def _predict_parts(model: Path, table: Path, parts: Path, out: Path, json: bool) -> None:
    from pulps.cli.models import open_model, print_json
    from pulps.io.files import STANDARD
    from pulps.scale import score_parts

    if out != STANDARD:
        raise ValueError("--out names a file and --parts a folder. Pass one of them.")
    scored = score_parts(open_model(model, any_classes=True), table, parts)
    if json:
        print_json(scored._asdict() | {"parts": str(parts)})
        return
    kept = scored.n_rows - scored.n_new
    told = f"{scored.n_rows} rows, {scored.n_positive} of them called positive, to {parts}"
    print(told + f" ({kept} were there already)" * bool(kept), file=sys.stderr)
