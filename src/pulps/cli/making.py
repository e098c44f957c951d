"""``pulps sample`` and ``pulps impute``: new rows, filled cells."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

Format = Literal["csv", "tsv", "parquet", "arrow"]


def sample(
    model: Path,
    /,
    *,
    rows: int = 10,
    side: Literal["positive", "negative"] = "positive",
    given: Annotated[list[str] | None, Parameter(negative=())] = None,
    accept: float | None = None,
    seed: int | None = None,
    out: Path = Path("-"),
    format: Format | None = None,
):
    """Draw new rows of a class.

    A model fitted with `--generative` draws better rows, and faster.

    Example: `pulps sample model.pulps --rows 100 --given color=red --given age=40`

    Parameters
    ----------
    model
        File written by `pulps fit`.
    rows
        Rows to draw.
    side
        Class to draw from.
    given
        Value of a column, as name=value; may be repeated. The others are drawn given these.
    accept
        Keep a row only if every member's log-ratio in favor of the class exceeds this.
    seed
        Seed of the draws.
    out
        File for the rows; its ending gives the format. `-` is standard output.
    format
        Format, if the ending does not tell.
    """
    from pulps.cli.models import open_model
    from pulps.io.files import check_output, write_table
    from pulps.tables.encoding import to_pandas

    check_output(out, format)
    fitted = open_model(model)
    drawn = fitted.sample(
        rows,
        int(side == "positive"),
        given=_conditions(fitted, given or []),
        accept=accept,
        random_state=seed,
    )
    write_table(to_pandas(drawn, [form.name for form in fitted.form_.columns]), out, format)


def _conditions(model, pairs: list[str]) -> dict:
    """Read name=value pairs; the longest column name that fits is meant."""
    from pulps.tables.encoding import CategoricalColumn

    columns = {str(column.name): column for column in model.encoder_.columns_}
    conditions = {}
    for pair in pairs:
        fits = [name for name in columns if pair.startswith(f"{name}=")]
        name, _, value = pair.partition("=")
        if fits:
            name = max(fits, key=len)
            value = pair[len(name) + 1 :]
        elif not value:
            raise ValueError(f"--given {pair!r} is not of the form name=value.")
        key = columns[name].index if model.form_.library == "numpy" and fits else name
        numeric = fits and (
            not isinstance(columns[name], CategoricalColumn)
            or columns[name].categories.dtype.kind == "f"
        )
        try:
            conditions[key] = float(value) if numeric else value
        except ValueError:
            raise ValueError(f"Column {name!r} holds numbers, but {value!r} was given.") from None
    return conditions


def impute(
    model: Path,
    table: Path,
    /,
    *,
    how: Literal["draw", "mode", "mean"] = "mode",
    side: Literal["predicted", "positive", "negative"] = "predicted",
    seed: int | None = None,
    out: Path = Path("-"),
    format: Format | None = None,
):
    """Fill missing cells from their density given the rest of their row.

    Columns the model does not know are kept as they are.

    Example: `pulps impute model.pulps holes.csv --out filled.csv`

    Parameters
    ----------
    model
        File written by `pulps fit`.
    table
        CSV, TSV, Parquet or Arrow file, also compressed, or `-` for standard input.
    how
        Draw the missing cells, or fill each with its most probable value or its mean.
    side
        Class whose density is used: the one predicted for the row, or always the same.
    seed
        Seed of the draws.
    out
        File for the filled table; its ending gives the format. `-` is standard output.
    format
        Format, if the ending does not tell.
    """
    from pulps.cli.models import name_of, open_model, rows_for
    from pulps.io.files import check_output, read_table, write_table

    check_output(out, format)
    fitted = open_model(model)
    frame = read_table(table)
    rows = rows_for(fitted, frame, name_of(table))
    y = {"predicted": None, "positive": 1, "negative": 0}[side]
    filled = fitted.impute(rows, y, how=how, random_state=seed)
    write_table(frame.assign(**{name: filled[name] for name in filled.columns}), out, format)
