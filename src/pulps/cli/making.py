"""``pulps sample`` and ``pulps impute``: new rows and filled cells."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from pulps.cli.tables import FileOptions, open_table
from pulps.io.naming import quoted

Format = Literal["csv", "tsv", "jsonl", "parquet", "arrow", "xlsx"]


def sample(
    model: Path,
    /,
    *,
    rows: int = 10,
    class_name: Annotated[str | None, Parameter(name="--class")] = None,
    given: Annotated[list[str] | None, Parameter(negative=())] = None,
    accept: float | None = None,
    seed: int | None = None,
    out: Path = Path("-"),
    format: Format | None = None,
    overwrite: bool = False,
) -> None:
    """Draw new rows from one of the classes.

    The model must have been fitted with `--generative`; states that only tell classes apart are
    no densities, and are not drawn from.

    Example: `pulps sample model.pulps --rows 100 --given color=red --given age=40`

    Parameters
    ----------
    model
        File written by `pulps fit`.
    rows
        Number of rows to draw.
    class_name
        Class to draw from: `positive`, which is the default, or `negative`; of a model of several
        classes, the name of one.
    given
        Value of a column, as name=value. May be repeated; the other columns are drawn given
        these.
    accept
        Keep a row only if the log-ratio of every member, in favor of the class, exceeds this.
    seed
        Seed of the draws.
    out
        File to write the rows to; its ending gives the format. `-` is standard output.
    format
        Format to write, where the ending does not tell.
    overwrite
        Replace the file if it is there already.
    """
    from pulps.cli.models import kind_of, open_model
    from pulps.cli.paths import check_free_table, check_model, tell_written
    from pulps.io.files import write_table

    if rows < 1:
        raise ValueError(f"--rows is {rows}. Draw at least one row.")
    check_model(model)
    check_free_table(out, model, overwrite=overwrite, format=format)
    from pulps.estimators.classes.names import class_named, class_names
    from pulps.scale.columns import column_names
    from pulps.tables.reading import to_pandas

    fitted = open_model(model, any_classes=True)
    if class_name is None and kind_of(fitted) == "classes":
        names = ", ".join(class_names(fitted)[:30])
        raise ValueError(f"No class was given. Name one with --class: {names}.")
    class_name = class_name or "positive"
    drawn = fitted.sample(
        rows,
        class_named(fitted, class_name),
        given=_conditions(fitted, given or []),
        accept=accept,
        random_state=seed,
    )
    write_table(to_pandas(drawn, column_names(fitted)), out, format)
    tell_written(out, f"{len(drawn)} rows drawn from the {class_name} class")


def _conditions(model: Any, pairs: list[str]) -> dict[str, Any]:
    """Read name=value pairs; where several column names fit, the longest is meant."""
    from pulps.scale.columns import column_keys
    from pulps.tables.columns import CategoricalColumn

    columns = {str(column.name): column for column in model.encoder_.columns_}
    keys = column_keys(model)
    conditions = {}
    for pair in pairs:
        fitting = [name for name in columns if pair.startswith(f"{name}=")]
        name, _, value = pair.partition("=")
        if fitting:
            name = max(fitting, key=len)
            value = pair[len(name) + 1 :]
        elif not value:
            raise ValueError(
                f"--given {quoted(pair)} is not of the form name=value, such as --given color=red."
            )
        numeric = fitting and (
            not isinstance(columns[name], CategoricalColumn)
            or columns[name].categories.dtype.kind == "f"
        )
        found = _number(value, getattr(columns[name], "decimal", "")) if numeric else value
        if found is None:
            raise ValueError(
                f"Column {quoted(name)} holds numbers, but {quoted(value)} was given. Give a "
                "number."
            )
        conditions[keys.get(name, name)] = found
    return conditions


def _number(text: str, decimal: str) -> float | None:
    """Read a number as the table of the fit wrote them, or else with a point."""
    from pulps.tables.cells import number_in

    found = number_in(text, decimal) if decimal else None
    return number_in(text) if found is None else found


def impute(
    model: Path,
    table: Path,
    /,
    *,
    how: Literal["draw", "mode", "mean"] = "mode",
    class_name: Annotated[str | None, Parameter(name="--class")] = None,
    seed: int | None = None,
    out: Path = Path("-"),
    format: Format | None = None,
    overwrite: bool = False,
    files: FileOptions | None = None,
) -> None:
    """Fill missing cells, given the rest of their row.

    The network fills: fit with `--generative` or `--model lps`. Columns that the model does not
    know are kept as they are.

    Example: `pulps impute model.pulps holes.csv --out filled.csv`

    Parameters
    ----------
    model
        File written by `pulps fit`.
    table
        CSV, TSV, JSON lines, Parquet, Arrow or Excel file; `-` is standard input.
    how
        Draw the missing cells, or fill each with its most probable value or its mean.
    class_name
        Class whose density is used for every row; by default the class predicted for the row.
    seed
        Seed of the draws.
    out
        File to write the filled table to; its ending gives the format. `-` is standard output.
    format
        Format to write, where the ending does not tell.
    overwrite
        Replace the file if it is there already.
    files
        How the file is written.
    """
    from pulps.cli.models import open_model
    from pulps.cli.paths import check_free_table, check_model, check_table, tell_written
    from pulps.io.files import STANDARD, name_of
    from pulps.io.files import kind_of as file_kind

    check_model(model)
    check_table(table)
    check_free_table(out, model, table, overwrite=overwrite, format=format)
    from pulps.estimators.classes.names import class_named
    from pulps.io.chunks import write_frame
    from pulps.scale.columns import column_names
    from pulps.tables.cells import written
    from pulps.tables.reading import to_pandas
    from pulps.tables.roles import typed

    fitted = open_model(model, any_classes=True)
    opened = open_table(table, files)
    rows = opened.rows_of(fitted, name_of(table), certain=bool(files and files.decimal))
    y = None if class_name is None else class_named(fitted, class_name)
    names = list(rows.columns) if hasattr(rows, "columns") else column_names(fitted)
    filled = to_pandas(fitted.impute(rows, y, how=how, random_state=seed), names)
    frame = opened.text.copy()  # what is there stays as it stands in the file
    n_filled = int(frame[filled.columns].isna().sum().sum())
    for name in filled.columns:
        texts = filled[name].map(written) if opened.dialect else filled[name]
        frame[name] = frame[name].where(frame[name].notna(), texts)
    kind = format or ("csv" if out == STANDARD else file_kind(out)[0])
    if opened.dialect and kind not in ("csv", "tsv"):
        frame, _ = typed(frame)
    write_frame(frame, out, format, opened.dialect)
    tell_written(out, f"{len(frame)} rows, {n_filled} cells of them filled")
