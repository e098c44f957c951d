"""``pulps explain``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from pulps.cli.pictures import is_picture, write_picture
from pulps.cli.tables import FileOptions, open_table

if TYPE_CHECKING:
    from pulps.estimators.questions.explanation import Explanation

MOST_TOLD = 8  # attributes of a row, on the terminal


def explain(
    model: Path,
    table: Path,
    /,
    *,
    row: Annotated[list[int] | None, Parameter(negative=())] = None,
    out: Annotated[list[Path] | None, Parameter(negative=())] = None,
    orders: int | None = None,
    exact: bool = False,
    seed: int = 0,
    overwrite: bool = False,
    json: bool = False,
    files: FileOptions | None = None,
) -> None:
    """Tell what each attribute adds to the decision on each row.

    What the attributes add, and the decision if nothing is known, sum to the decision, which is
    above 0 for rows called positive. Up to ten attributes the values are exact; of more, they are
    averages over some orders in which attributes become known. All columns that the model does
    not use add nothing and are left out.

    Example: `pulps explain model.pulps customers.csv --row 17 --out why.png`

    Example: `pulps explain model.pulps customers.csv --out why.csv --out why.svg`

    Parameters
    ----------
    model
        File written by `pulps fit`.
    table
        CSV, TSV, JSON lines, Parquet, Arrow or Excel file; `-` is standard input.
    row
        Number of a row to explain, counted from 1. May be repeated; all rows otherwise.
    out
        File to write: a picture if it ends with .png, .svg or .pdf, the table otherwise, one line
        per row and one column per attribute. May be repeated. A picture of one row shows its
        attributes, of several how each attribute acts on all of them.
    orders
        Orders to average over, an even number.
    exact
        Average over all orders; for up to 16 attributes.
    seed
        Seed of the orders.
    overwrite
        Replace files that are there already.
    json
        Print what was found as JSON.
    files
        How the file is written.
    """
    from pulps.cli.models import open_model, print_json
    from pulps.cli.paths import check_free, check_free_table, check_model, check_table
    from pulps.io.files import name_of

    if exact and orders is not None:
        raise ValueError(
            "--exact takes all orders, and --orders some of them. Name one of the two."
        )
    check_model(model)
    check_table(table)
    outputs = out or []
    for path in outputs:
        check = check_free if is_picture(path) else check_free_table
        check(path, model, table, overwrite=overwrite)
    fitted = open_model(model)
    opened = open_table(table, files)
    numbers = _rows(row, len(opened.frame), name_of(table))
    rows = opened.rows_of(fitted, name_of(table), certain=bool(files and files.decimal))
    rows = rows.iloc[numbers] if hasattr(rows, "iloc") else rows[numbers]
    wanted = "all" if exact else "auto" if orders is None else orders
    found = fitted.explain(rows, orders=wanted, random_state=seed)
    for path in outputs:
        _write(found, numbers, path)
    if json:
        print_json(
            {
                "base": found.base,
                "orders": "all" if found.exact else found.n_orders,
                "rows": [
                    {
                        "row": number + 1,
                        "decision": decision,
                        "adds": dict(zip(found.names, adds, strict=True)),
                    }
                    for number, decision, adds in zip(
                        numbers, found.decision.tolist(), found.values.tolist(), strict=True
                    )
                ],
            }
        )
    elif not outputs:
        print("\n\n".join(_told(found, place, number) for place, number in enumerate(numbers)))


def _rows(given: list[int] | None, n_rows: int, table: str) -> list[int]:
    if given is None:
        return list(range(n_rows))
    odd = [number for number in given if not 1 <= number <= n_rows]
    if odd:
        raise ValueError(f"--row {odd[0]}: {table} has rows 1 to {n_rows}.")
    return [number - 1 for number in given]


def _told(found: Explanation, place: int, number: int) -> str:
    """Write a few lines about one row."""
    from pulps.io.plain import cell

    told = found.row(place).iloc[:MOST_TOLD]
    names = [
        f"{name} = {cell(value)}" if cell(value) else f"{name} (missing)"
        for name, value in told["cell"].items()
    ]
    width = max(map(len, names))
    lines = [
        f"row {number + 1}: decision {found.decision[place]:+.3f}, "
        f"from {found.base:+.3f} if nothing is known"
    ]
    for name, adds, error in zip(names, told["adds"], told["error"], strict=True):
        sure = "" if found.exact else f"  ± {error:.3f}"
        lines.append(f"  {name:<{width}}  {adds:+.3f}{sure}")
    rest = len(found.names) - len(told)
    if rest:
        adds = found.values[place].sum() - told["adds"].sum()
        lines.append(f"  {f'{rest} others':<{width}}  {adds:+.3f}")
    return "\n".join(lines)


def _write(found: Explanation, numbers: list[int], path: Path) -> None:
    from pulps.cli.paths import tell_written
    from pulps.io.files import write_table

    rows = f"{len(found)} row{'s' * (len(found) > 1)}"
    if is_picture(path):
        from pulps.displays import BeeswarmDisplay, WaterfallDisplay

        display = WaterfallDisplay(found) if len(found) == 1 else BeeswarmDisplay(found)
        write_picture(display.plot, path, min(len(found.names), 12))
        tell_written(path, f"a picture of {rows}")
        return
    head = {"row": [n + 1 for n in numbers], "decision": found.decision, "base": found.base}
    frame = found.table.rename(columns=lambda name: f"{name} adds")
    for place, (name, column) in enumerate(head.items()):
        frame.insert(place, name, column)
    write_table(frame, path)
    tell_written(path, f"what {len(found.names)} attributes add on {rows}")
