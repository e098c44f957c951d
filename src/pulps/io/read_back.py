"""Tables read back after they were written: as far as needed to know that they are whole."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pulps.io.formats import decompressed
from pulps.io.optional import needs

PIECE = 2**20


def check_written(path: Path, kind: str, compression: str, n_rows: int) -> None:
    """Raise if a table that was just written cannot be read to its end.

    Parameters
    ----------
    path
        The file.
    kind, compression
        Its format, and the ending that names its compression, or nothing.
    n_rows
        Rows that were written to it.
    """
    with path.open("rb") as file:
        stream = decompressed(file, compression)
        if kind in ROWS_OF:
            short = ROWS_OF[kind](stream) != n_rows
        else:
            n_lines = 0
            while piece := stream.read(PIECE):
                n_lines += piece.count(b"\n")
            short = kind in TEXTS and n_lines < n_rows
    if short:
        raise OSError(f"Fewer rows than the {n_rows} that were written could be read back.")


def _rows_of_parquet(stream: Any) -> int:
    with needs("files", "Reading a table back"):
        import pyarrow.parquet as pq

    return pq.ParquetFile(stream).metadata.num_rows


def _rows_of_arrow(stream: Any) -> int:
    with needs("files", "Reading a table back"):
        import pyarrow as pa

    with pa.ipc.open_file(stream) as reader:
        return sum(reader.get_batch(i).num_rows for i in range(reader.num_record_batches))


ROWS_OF = {"parquet": _rows_of_parquet, "arrow": _rows_of_arrow}
TEXTS = ("csv", "tsv", "jsonl")
