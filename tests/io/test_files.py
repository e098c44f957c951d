"""Tables in files: every format, and errors that name the file."""

import io

import pandas as pd
import pyarrow as pa
import pytest

from pulps.io.files import KINDS, check_column, read_bytes, read_table, write_table
from pulps.tables.roles import typed

ALL_KINDS = [
    f".{kind}{end}"
    for kind in ("csv", "tsv", "jsonl", "parquet", "arrow", "feather")
    for end in ("", ".gz", ".bz2", ".xz", ".zst")
]


@pytest.mark.parametrize("kind", ALL_KINDS)
def test_a_table_survives_every_format(kind, tmp_path):
    table = pd.DataFrame({"a": [1.5, None], "b": ["x,y", "ü"], "c": [1, 2]})
    write_table(table, tmp_path / f"t{kind}")
    for back in (
        read_table(tmp_path / f"t{kind}"),
        read_bytes((tmp_path / f"t{kind}").read_bytes()),
    ):
        frame = typed(back.frame)[0].infer_objects()
        pd.testing.assert_frame_equal(frame, table, check_dtype="jsonl" not in kind)
    assert [p.name for p in tmp_path.iterdir()] == [f"t{kind}"]


@pytest.mark.parametrize("kind", ALL_KINDS)
def test_damaged_files_are_named(kind, tmp_path):
    path = tmp_path / f"t{kind}"
    path.write_bytes(b"\xff\xfe\x00 no table \x80")
    with pytest.raises(ValueError, match=r"t\..* (cannot be read|is not text)"):
        read_table(path)


def test_an_arrow_stream_and_semicolons_are_read():
    table = pa.table({"a": [1, 2]})
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    assert read_bytes(sink.getvalue()).frame["a"].tolist() == [1, 2]
    assert list(read_bytes(b"a;b\n1;2\n").frame.columns) == ["a", "b"]
    assert list(read_bytes(b"\xef\xbb\xbfa,b\n1,2\n").frame.columns) == ["a", "b"]


def test_the_list_of_formats_in_messages_is_true():
    for kind in (
        ".csv",
        ".tsv",
        ".jsonl",
        ".xlsx",
        ".parquet",
        ".arrow",
        ".gz",
        ".bz2",
        ".xz",
        ".zst",
    ):
        assert kind in KINDS


def test_an_absent_column_is_named_with_the_nearest_one():
    check_column("size", ["size", "color"], "Mine")
    with pytest.raises(ValueError, match=r"Mine has no column 'colour'\. Did you mean 'color'"):
        check_column("colour", ["size", "color"], "Mine")
