"""How large a table may be, found out while it is read.

A small file can hold a large table: compression makes a thousand bytes of one, and Parquet, Arrow
and spreadsheets repeat a cell for nothing. Who reads files of others says how much is enough, and
reading stops there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import IO

PIECE = 2**20


class TooLargeError(ValueError):
    """A table is larger than was allowed."""


@dataclass(frozen=True)
class Bounds:
    """The largest table that is read.

    Parameters
    ----------
    n_bytes
        Its size without compression.
    n_rows, n_columns
        Its rows and columns.
    """

    n_bytes: int
    n_rows: int
    n_columns: int

    def check_bytes(self, n_bytes: int, name: str) -> None:
        """Refuse too many bytes.

        Parameters
        ----------
        n_bytes
            Bytes seen so far.
        name
            What to call the table in a message.
        """
        if n_bytes > self.n_bytes:
            raise TooLargeError(
                f"{name} holds more than {self.n_bytes} bytes without its compression, the most "
                "that is read here. Send a smaller table."
            )

    def check_rows(self, n_rows: int, name: str) -> None:
        """Refuse too many rows.

        Parameters
        ----------
        n_rows
            Rows seen so far.
        name
            What to call the table in a message.
        """
        if n_rows > self.n_rows:
            raise TooLargeError(
                f"{name} has more than {self.n_rows} rows, the most that are read here. Send a "
                "smaller table."
            )

    def check_columns(self, n_columns: int, name: str) -> None:
        """Refuse too many columns.

        Parameters
        ----------
        n_columns
            Columns seen so far.
        name
            What to call the table in a message.
        """
        if n_columns > self.n_columns:
            raise TooLargeError(
                f"{name} has more than {self.n_columns} columns, the most that are read here. "
                "Send a smaller table."
            )

    def read(self, stream: IO[bytes], name: str) -> bytes:
        """Read a stream to its end, which must come in time.

        Parameters
        ----------
        stream
            The bytes without compression.
        name
            What to call the table in a message.

        Returns
        -------
        bytes
        """
        parts, size = [], 0
        while part := stream.read(PIECE):
            size += len(part)
            self.check_bytes(size, name)
            parts.append(bytes(part))
        return b"".join(parts)


UNBOUNDED = Bounds(2**63, 2**63, 2**63)
