"""``pulps predict``."""

from __future__ import annotations

from pathlib import Path
from typing import Literal


def predict(
    model: Path,
    table: Path,
    /,
    *,
    out: Path = Path("-"),
    format: Literal["csv", "tsv", "parquet", "arrow"] | None = None,
    json: bool = False,
):
    """Score the rows of a table with a fitted model.

    Writes the table with three more columns: `positive` (1 or 0), `probability` and
    `log_ratio`. Rows are read and written in chunks, so the table may be larger than memory.

    Example: `pulps predict model.pulps customers.csv --out scored.csv`

    Example: `cat customers.csv | pulps predict model.pulps - > scored.csv`

    Parameters
    ----------
    model
        File written by `pulps fit`.
    table
        CSV, TSV, Parquet or Arrow file, also compressed, or `-` for standard input, with
        the columns of the fit; others are kept as they are.
    out
        File for the scored table; its ending gives the format. `-` is standard output.
    format
        Format, if the ending does not tell.
    json
        Print how many rows were called positive for machines.
    """
    from pulps.cli.models import open_model, print_json
    from pulps.io.files import STANDARD
    from pulps.scale import score_file

    if json and out == STANDARD:
        raise ValueError("--json and the table both go to standard output; name a file by --out.")
    scored = score_file(open_model(model), table, out, format=format)
    if json:
        print_json(scored._asdict() | {"out": str(out)})
