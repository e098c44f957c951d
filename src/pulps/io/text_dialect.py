"""How a file of text is written: its separator, decimal mark, encoding and header.

The beginning of the file tells; what its owner says takes precedence.
"""

from __future__ import annotations

import codecs
import csv
import re
from collections import Counter
from dataclasses import dataclass
from typing import Any

from pulps.io.bounds import UNBOUNDED, Bounds
from pulps.io.naming import quoted

SEPARATORS = (",", ";", "\t", "|")
SAMPLE_BYTES = 2**16
LONGEST_HEADER = 2**24  # in bytes
NAMES = {"\t": "tab", " ": "space"}
BOMS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_AMOUNT = (
    r"\s*[€$£¥]?\s*[+-]?\d{{1,3}}(?:{group}?\d{{3}})*{mark}(?:\d{{1,2}}|\d{{4,}})\s*[€$£¥%]?\s*"
)
_COMMA = re.compile(_AMOUNT.format(group=r"\.", mark=","))
_POINT = re.compile(_AMOUNT.format(group=",", mark=r"\."))


@dataclass(frozen=True)
class Reading:
    """How a file of text is to be read, as far as its owner says.

    Parameters
    ----------
    separator, decimal, encoding
        None to find out.
    missing
        Words that stand for a missing cell, beside an empty one.
    """

    separator: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    missing: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse what cannot be."""
        if self.separator is not None and len(self.separator) != 1:
            raise ValueError(
                f"The separator is {self.separator!r}; it must be one character, such as ; or , "
                "or the word tab."
            )
        if self.decimal not in (None, ".", ","):
            raise ValueError(f"The decimal mark is {self.decimal!r}; it must be . or ,")
        if self.encoding is not None:
            try:
                codecs.lookup(self.encoding)
            except LookupError:
                raise ValueError(
                    f"There is no encoding {self.encoding!r}. Try utf-8, cp1252 or utf-16."
                ) from None


@dataclass(frozen=True)
class Dialect:
    """How a file of text is written.

    Parameters
    ----------
    separator, encoding
        Found or given.
    decimal
        The decimal mark; None if no cell shows it.
    header
        Names of the columns.
    n_extra
        Cells that a row may have beyond the header, if they are empty.
    """

    separator: str
    decimal: str | None
    encoding: str
    header: tuple[str, ...]
    n_extra: int = 1

    def __str__(self) -> str:
        """Tell it in one line."""
        told = f"separator {NAMES.get(self.separator, self.separator)}"
        if self.decimal is not None:
            told += f", decimal {self.decimal}"
        return told + f", {self.encoding}" * (not self.encoding.startswith("utf-8"))


def sniff(
    stream: Any,
    kind: str,
    name: str,
    reading: Reading | None = None,
    bounds: Bounds = UNBOUNDED,
) -> Dialect:
    r"""Find out how a file is written; the stream is left at its beginning.

    Parameters
    ----------
    stream
        Its bytes, from the beginning.
    kind
        ``"tsv"`` if its name says that tabs separate.
    name
        What to call the table in a message.
    reading
        What its owner says.
    bounds
        How many columns it may have.

    Returns
    -------
    Dialect

    Examples
    --------
    >>> import io
    >>> str(sniff(io.BytesIO(b"a;b\n1,5;x\n"), "", "it"))
    'separator ;, decimal ,'
    """
    reading = reading or Reading()
    sample = stream.read(SAMPLE_BYTES)
    whole = len(sample) < SAMPLE_BYTES
    while not whole and b"\n" not in sample and len(sample) < LONGEST_HEADER:
        more = stream.read(len(sample))
        whole = len(more) < len(sample)
        sample += more
    stream.seek(0)
    text, encoding = _decoded(sample, whole, name, reading.encoding)
    separator = reading.separator or ("\t" if kind == "tsv" else None)
    if separator is None:
        separator = max(SEPARATORS, key=lambda mark: _fit(_rows(text, mark, whole)))
    rows = _rows(text, separator, whole)
    header = rows[0] if rows else []
    while header and not header[-1].strip():
        header = header[:-1]
    if not header:
        raise ValueError(f"{name} has no header line. Name its columns in the first line.")
    bounds.check_columns(len(header), name)
    names = tuple(column or f"Unnamed: {place}" for place, column in enumerate(header))
    repeated = sorted(column for column, times in Counter(names).items() if times > 1)
    if repeated:
        raise ValueError(
            f"{name} has more than one column named {quoted(repeated)[1:-1]}. Rename or drop the "
            "copies."
        )
    n_extra = max((len(row) - len(names) for row in rows), default=0)
    bounds.check_columns(len(names) + n_extra, name)
    decimal = reading.decimal or _decimal(rows[1:])
    return Dialect(separator, decimal, encoding, names, max(n_extra, 1))


def _decoded(sample: bytes, whole: bool, name: str, encoding: str | None) -> tuple[str, str]:
    """Decode the beginning of a file, in Western European letters if it is not Unicode."""
    found = encoding or next((code for bom, code in BOMS.items() if sample.startswith(bom)), None)
    for code in (found,) if found else ("utf-8", "cp1252"):
        try:
            text = codecs.getincrementaldecoder(code)().decode(sample, final=whole)
        except UnicodeDecodeError:
            continue
        if "\0" not in text and (code != "utf-16" or "\n" in text):
            return text, code
    tried = f"in {encoding}" if encoding else "in UTF-8"
    raise ValueError(
        f"{name} is not text {tried}. Save it as UTF-8, or name its encoding (--encoding)."
    )


def _rows(text: str, separator: str, whole: bool) -> list[list[str]]:
    """Split the complete lines of a text."""
    lines = text.splitlines(keepends=True)
    if not whole and len(lines) > 1:
        lines = lines[:-1]
    try:
        return [row for row in csv.reader(lines, delimiter=separator) if row]
    except csv.Error:
        return []


def _fit(rows: list[list[str]]) -> tuple[float, int]:
    """Say how well a separator fits: rows that have as many cells as the header, and how many."""
    if not rows or len(rows[0]) < 2:
        return 0.0, 0
    header = rows[0]
    even = [len(row) == len(header) or not any(row[len(header) :]) for row in rows]
    return sum(even) / len(rows), len(header)


def _decimal(rows: list[list[str]]) -> str | None:
    cells = [cell for row in rows for cell in row]
    commas = sum(map(bool, map(_COMMA.fullmatch, cells)))
    points = sum(map(bool, map(_POINT.fullmatch, cells)))
    if commas == points:
        return None
    return "," if commas > points else "."
