"""How large a table may be, found out while it is read."""

import bz2
import gzip
import io
import json
import lzma
import zipfile

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pulps.io.bounds import Bounds, TooLargeError
from pulps.io.files import read_bytes

BOUNDS = Bounds(n_bytes=10**6, n_rows=1000, n_columns=50)
ZEROS = b"a,b\n" + b"0,0\n" * 10**6


def zstd(content):
    return bytes(pa.Codec("zstd").compress(content, asbytes=True))


def written(write, *arguments, **options):
    with io.BytesIO() as file:
        write(*arguments, file, **options)
        return file.getvalue()


def parquet(n_rows, n_columns=1):
    columns = {f"c{k}": pa.array(np.zeros(n_rows, np.int8)) for k in range(n_columns)}
    return written(pq.write_table, pa.table(columns))


def arrow(n_rows, opener, batches=1):
    batch = pa.RecordBatch.from_arrays([pa.nulls(n_rows)], ["a"])
    with io.BytesIO() as file:
        with opener(file, batch.schema) as writer:
            for _ in range(batches):
                writer.write_batch(batch)
        return file.getvalue()


def sheet_of_zeros():
    """A spreadsheet whose one part is small compressed and large as it is."""
    with io.BytesIO() as file:
        pd.DataFrame({"a": [1, 2]}).to_excel(file, index=False)
        with zipfile.ZipFile(file, "a", zipfile.ZIP_DEFLATED) as parts:
            parts.writestr("xl/media/zeros", bytes(3 * 10**6))
        return file.getvalue()


def lines(rows):
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


TOO_LARGE = {
    "gzip": lambda: gzip.compress(ZEROS),
    "bzip2": lambda: bz2.compress(ZEROS),
    "xz": lambda: lzma.compress(ZEROS),
    "zstandard": lambda: zstd(ZEROS),
    "rows of text": lambda: b"a,b\n" + b"0,0\n" * 1001,
    "columns of text": lambda: (",".join(map(str, range(51))) + "\n" + "1," * 50 + "1\n").encode(),
    "cells beyond the header": lambda: b"a,b\n" + b"," * 60 + b"\n1,2\n",
    "parquet of one value": lambda: parquet(10**7),
    "parquet with many columns": lambda: parquet(2, 51),
    "parquet in gzip": lambda: gzip.compress(parquet(10**6)),
    "arrow of nothing": lambda: arrow(10**7, pa.ipc.new_file),
    "stream of arrow batches": lambda: arrow(900, pa.ipc.new_stream, batches=2),
    "spreadsheet": sheet_of_zeros,
    "rows of a spreadsheet": lambda: written(
        lambda file: pd.DataFrame({"a": range(1001)}).to_excel(file, index=False)
    ),
    "lines of JSON": lambda: lines([{"a": 1}] * 1001),
    "names in lines of JSON": lambda: lines({f"c{k}": 1} for k in range(51)),
}


@pytest.mark.parametrize("kind", TOO_LARGE)
def test_reading_stops_where_a_table_is_too_large(kind):
    content = TOO_LARGE[kind]()
    assert len(content) < 100_000
    with pytest.raises(TooLargeError, match="Send a smaller table"):
        read_bytes(content, "it", bounds=BOUNDS)


@pytest.mark.parametrize(
    "content",
    [
        gzip.compress(b"a,b\n" + b"0,x\n" * 1000),
        zstd(b"a,b\n" + b"0,x\n" * 1000),
        parquet(1000, 50),
        arrow(500, pa.ipc.new_stream, batches=2),
        lines([{"a": 1}] * 1000),
    ],
    ids=["gzip", "zstandard", "parquet", "arrow", "JSON"],
)
def test_a_table_within_bounds_is_read_as_without_any(content):
    pd.testing.assert_frame_equal(
        read_bytes(content, "it", bounds=BOUNDS).frame, read_bytes(content, "it").frame
    )


def test_a_header_longer_than_the_first_piece_of_a_file_is_read_whole():
    names = [f"{k} {'name' * 60}" for k in range(300)]
    rows = [",".join(names), ",".join("1" * 300), ",".join("2" * 300)]
    assert list(read_bytes("\n".join(rows).encode()).frame.columns) == names


def test_checking_a_header_takes_time_in_proportion_to_its_length():
    """So many names, each compared with every other, would take minutes."""
    names = [f"c{k}" for k in range(200_000)]
    content = ",".join([*names, "c7"]).encode() + b"\n"
    with pytest.raises(ValueError, match="more than one column named 'c7'"):
        read_bytes(content)
    with pytest.raises(TooLargeError):
        read_bytes(content, bounds=BOUNDS)


def test_json_that_nests_without_end_is_refused():
    with pytest.raises(ValueError, match="line 1 is not JSON"):
        read_bytes(b'{"a":' + b"[" * 100_000 + b"\n")
