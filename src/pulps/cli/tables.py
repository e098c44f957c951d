"""Tables as commands read them: how a file is written, and what its columns are."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

from cyclopts import Parameter

if TYPE_CHECKING:
    import pandas as pd

    from pulps.io.text_dialect import Dialect, Reading

Names = Annotated[list[str] | None, Parameter(negative=())]


@Parameter(name="*")
@dataclass(frozen=True)
class FileOptions:
    """How a text file is written; what is not said is found out.

    Parameters
    ----------
    sep
        Separator of a text file, such as `;` or `tab`.
    decimal
        Decimal mark of a text file.
    encoding
        Encoding of a text file, such as `utf-8` or `cp1252`.
    na
        Word that stands for a missing cell, such as NA; otherwise it is a category among words.
        May be repeated.
    """

    sep: str | None = None
    decimal: Literal[".", ","] | None = None
    encoding: str | None = None
    na: Names = None

    def reading(self) -> Reading:
        """Return what was said.

        Returns
        -------
        Reading
            With None for what is to be found out.
        """
        from pulps.io.text_dialect import Reading

        separator = {"tab": "\t", "\\t": "\t"}.get(self.sep or "", self.sep)
        return Reading(separator, self.decimal, self.encoding, tuple(self.na or ()))


@Parameter(name="*")
@dataclass(frozen=True)
class ColumnOptions:
    """What some columns are; the others are guessed.

    Parameters
    ----------
    drop
        Column to leave out. May be repeated.
    id
        Column that names a row, to leave out. May be repeated.
    categorical
        Column of categories, whatever it looks like. May be repeated.
    columns
        Column to learn from; all others are left out. May be repeated.
    """

    drop: Names = None
    id: Names = None
    categorical: Names = None
    columns: Names = None

    def roles(self, names: list[str], table: str) -> dict[str, str]:
        """Return the roles that were given; refuse columns that are not there.

        Parameters
        ----------
        names
            Columns of the table.
        table
            What to call the table in a message.

        Returns
        -------
        dict
            Role by the name of the column.
        """
        roles = {}
        if self.columns:
            kept = _listed(self.columns, names, table)
            roles = {name: "out" for name in names if name not in kept}
        for given, role in (
            (self.categorical, "category"),
            (self.id, "identifier"),
            (self.drop, "out"),
        ):
            roles |= dict.fromkeys(_listed(given or [], names, table), role)
        return roles


def _listed(given: list[str], names: list[str], table: str) -> list[str]:
    """Read column names, one per word or several with commas between them."""
    from pulps.io.files import check_column

    found = []
    for word in given:
        parts = [word] if word in names else [part.strip() for part in word.split(",")]
        for part in parts:
            check_column(part, names, table)
            found.append(part)
    return found


class OpenTable(NamedTuple):
    """A table of a file: with types, as text, and what is known of its columns."""

    frame: pd.DataFrame
    text: pd.DataFrame
    dialect: Dialect | None
    roles: dict[str, str]
    told: str

    def rows_of(self, model: Any, name: str, *, certain: bool) -> Any:
        """Select the columns of a model, as text, which it reads as it did at fit.

        Parameters
        ----------
        model
            A fitted model.
        name
            What to call the table in a message.
        certain
            Whether the decimal mark was given.

        Returns
        -------
        pandas.DataFrame
            One column for each that the model knows.
        """
        from pulps.scale.columns import model_rows

        decimal = None if self.dialect is None else self.dialect.decimal
        return model_rows(model, self.text, name, decimal=decimal, certain=certain)


def open_table(path: Path, options: FileOptions | None) -> OpenTable:
    """Read a table and find out what its columns are.

    Parameters
    ----------
    path
        The file.
    options
        How it is written; None to find out.

    Returns
    -------
    OpenTable
        The table as text, how it is written, and what its columns are.
    """
    from pulps.io.files import name_of, read_table
    from pulps.tables.roles import typed

    source = read_table(path, (options or FileOptions()).reading())
    dialect = source.dialect
    frame, roles = typed(source.frame, None if dialect is None else dialect.decimal)
    return OpenTable(frame, source.frame, dialect, roles, source.told(name_of(path)))
