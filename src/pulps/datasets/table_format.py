"""The one file format of tables, and the checksum of what is in it.

UTF-8 CSV with a header line, the class in the last column, an empty cell where a value is
missing, all rows and classes of the source in source order.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path

from pulps.datasets.registry import Attribute, TableInfo
from pulps.datasets.sources import CorruptedDataError, read_bytes, sha256


def read_table(path: Path, info: TableInfo) -> list[list[str]]:
    """Read and verify a table; the rows are normalized, the header is left out.

    A file is accepted if its normalized content has the registered SHA-256.

    Parameters
    ----------
    path
        The file.
    info
        Description of the table.

    Returns
    -------
    list
        The rows.
    """
    text = read_bytes(path)
    try:
        header, *rows = csv.reader(io.StringIO(text.decode("utf-8"), newline=""))
        rows = normalize(header, rows, info)
    except ValueError as error:
        raise CorruptedDataError(
            f"{path} is not the table {info.name!r}: {error} Replace it by an intact copy."
        ) from error
    came = sha256(table_text(rows, info).encode())
    if came != info.content_sha256:
        raise CorruptedDataError(
            f"{path} has {len(rows)} rows with content SHA-256 {came[:12]}…, but "
            f"{info.n_rows} rows with {info.content_sha256[:12]}… are registered for "
            f"{info.name!r}: the file is damaged or another version. Replace it by an intact "
            "copy."
        )
    return rows


def normalize(
    header: Sequence[str], rows: Sequence[Sequence[str]], info: TableInfo
) -> list[list[str]]:
    """Write every cell in one way: numbers as Python floats, categories as declared.

    ``01`` and ``1.0`` are the same number, so two files with the same table have the same
    normalized content whoever wrote them.

    Parameters
    ----------
    header
        Names of columns in the file.
    rows
        Rows of the file.
    info
        Description of the table.

    Returns
    -------
    list
        The rows.
    """
    wanted = [attribute.name for attribute in info.attributes] + ["class"]
    if list(header) != wanted:
        raise ValueError(
            f"the header is {','.join(header)[:60]!r}, not {','.join(wanted)[:60]!r}."
        )
    columns = [*info.attributes, Attribute("class", "category", info.classes)]
    normalized = []
    for line, row in enumerate(rows, start=2):
        if len(row) != len(columns):
            raise ValueError(f"line {line} has {len(row)} cells instead of {len(columns)}.")
        normalized.append(
            [_cell(cell, column, line) for cell, column in zip(row, columns, strict=True)]
        )
    return normalized


def table_text(rows: Sequence[Sequence[str]], info: TableInfo) -> str:
    """Write normalized rows as CSV.

    Parameters
    ----------
    rows
        Normalized rows.
    info
        Description of the table.

    Returns
    -------
    str
        The content of the file.
    """
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*(attribute.name for attribute in info.attributes), "class"])
    writer.writerows(rows)
    return text.getvalue()


def _cell(cell: str, attribute: Attribute, line: int) -> str:
    if cell == "":
        return ""
    if attribute.kind == "numeric":
        try:
            return repr(float(cell))
        except ValueError:
            raise ValueError(f"line {line}, {attribute.name}: {cell!r} is no number.") from None
    if cell not in attribute.values:
        raise ValueError(f"line {line}, {attribute.name}: {cell!r} is not a declared value.")
    return cell
