"""Rows of text: some at a time, from a file that its caller closes."""

import io

import pytest

from pulps.io.text_dialect import Reading, sniff
from pulps.io.text_rows import read_rows


def opened(text):
    stream = io.BytesIO(text.encode())
    dialect = sniff(stream, "", "table.csv", Reading())
    return stream, dialect


def test_rows_come_some_at_a_time_without_header_and_blank_lines():
    stream, dialect = opened("a,b\n1,2\n\n3\n5,6\n")
    chunks = list(read_rows(stream, dialect, "table.csv", 2))
    assert chunks == [[["1", "2"], ["3", ""]], [["5", "6"]]]


def test_a_file_that_was_read_is_still_open():
    stream, dialect = opened("a,b\n1,2\n3,4\n")
    list(read_rows(stream, dialect, "table.csv", 2))
    assert not stream.closed


def test_a_file_is_still_open_when_a_line_is_broken_or_nobody_reads_on():
    stream, dialect = opened("a,b\n1,2\n3,4,5\n")
    rows = read_rows(stream, dialect, "table.csv", 1)
    assert next(rows) == [["1", "2"]]
    with pytest.raises(ValueError, match="line 3, has 3 cells, but the header has 2"):
        next(rows)
    assert not stream.closed
    stream, dialect = opened("a,b\n1,2\n3,4\n")
    rows = read_rows(stream, dialect, "table.csv", 1)
    next(rows)
    rows.close()
    assert not stream.closed
