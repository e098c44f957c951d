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
    `log_ratio`.

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
    from pulps.cli.models import name_of, open_model, print_json, rows_for
    from pulps.files import STANDARD, check_output, read_table, write_table

    if json and out == STANDARD:
        raise ValueError("--json and the table both go to standard output; name a file by --out.")
    check_output(out, format)
    fitted = open_model(model)
    frame = read_table(table)
    rows = rows_for(fitted, frame, name_of(table))
    clash = {"positive", "probability", "log_ratio"} & set(frame.columns)
    if clash:
        raise ValueError(
            f"{name_of(table)} already has a column named {', '.join(sorted(clash))}, which "
            "this command would write. Rename it first."
        )
    decision = fitted.decision_function(rows)
    frame["positive"] = (decision > 0).astype(int)
    frame["probability"] = fitted.predict_proba(rows)[:, 1]
    frame["log_ratio"] = decision
    write_table(frame, out, format)
    if json:
        counts = {"n_rows": len(frame), "n_positive": int((decision > 0).sum())}
        print_json(counts | {"out": str(out)})
