"""Files of text: how they are written is found out, and what does not fit is refused."""

import io

import pytest

from pulps.io.files import read_bytes
from pulps.io.text_dialect import Reading, sniff
from pulps.io.text_tables import read_text


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"a,b\n1.5,x\n", "separator ,, decimal ."),
        (b"a;b\n1,5;x\n2;y\n", "separator ;, decimal ,"),
        (b"a;b\n1;x,y,z\n", "separator ;"),
        (b"a\tb\n1\tx;y\n", "separator tab"),
        (b"a|b\n1|2.25\n", "separator |, decimal ."),
        (b'a,b\n"1.234,5",x\n', "separator ,, decimal ,"),
        ("a;b\nKöln;1\n".encode("cp1252"), "separator ;, cp1252"),
        ("a;b\nKöln;1\n".encode("utf-16"), "separator ;, utf-16"),
        ("a;b\nKöln;1\n".encode("utf-8-sig"), "separator ;"),
        (b"a;b\n31.01.2024;1.000\n", "separator ;"),
        (b"a\n1\n", "separator ,"),
    ],
)
def test_how_a_file_is_written_is_found_and_told(content, told):
    table = read_bytes(content)
    assert str(table.dialect) == told
    assert list(table.frame.columns) == ["a", "b"][: len(table.frame.columns)]
    assert table.told("it").startswith(f"it: {len(table.frame)} rows, ")


def test_cells_stay_text():
    frame = read_bytes(b'a,b,c\n01,0.90,NA\n12345678901234567,,"x\ny"\n').frame
    assert frame["a"].tolist() == ["01", "12345678901234567"]
    assert frame["b"].isna().tolist() == [False, True]
    assert frame["c"].tolist() == ["NA", "x\ny"]


@pytest.mark.parametrize(
    "content", [b"a,b\n1,2,\n3,4,\n", b"a,b,,\n1,2,,\n3,4\n", b"a,b\n1,2\n3,4,,,\n"]
)
def test_separators_at_the_end_of_a_line_are_no_cells(content):
    assert read_bytes(content).frame.to_numpy().tolist() == [["1", "2"], ["3", "4"]]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a,b\n1,2,3\n4,5,6\n", "Every row of .* more cells than the 2 names"),
        (b"a,b\n1,2\n4,5,6\n", "row 2, has more cells than the 2 names"),
        (b"a,b\n" + b"1,2\n" * 40_000 + b"4,5,6,7\n", "line 40002, has 4 cells"),
        (b"a,a\n1,2\n", "more than one column named 'a'"),
        (b"\n\n,,\n1,2,3\n", "no header line"),
    ],
)
def test_what_does_not_fit_is_refused(content, message):
    with pytest.raises(ValueError, match=message):
        read_bytes(content)


def test_what_the_owner_says_takes_precedence():
    reading = Reading(separator=";", decimal=".", encoding="latin-1", missing=("NA",))
    table = read_bytes("a;b\n1,5;NA\nö;2\n".encode("latin-1"), reading=reading)
    assert str(table.dialect) == "separator ;, decimal ., latin-1"
    assert table.frame["a"].tolist() == ["1,5", "ö"]
    assert table.frame["b"].isna().tolist() == [True, False]
    for wrong in ({"separator": "ab"}, {"decimal": ";"}, {"encoding": "klingon"}):
        with pytest.raises(ValueError, match=r"must be|no encoding"):
            Reading(**wrong)


def test_chunks_have_the_size_that_was_asked_for():
    stream = io.BytesIO(b"a,b\n" + b"1,2\n" * 5)
    dialect = sniff(stream, "", "it")
    assert [len(frame) for frame in read_text(stream, dialect, "it", size=2)] == [2, 2, 1]
