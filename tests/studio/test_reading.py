"""Uploads are read in a process that can be ended."""

import gzip

import numpy as np
import pandas as pd
import pytest

from pulps.studio.answers import Refusal
from pulps.studio.limits import Limits
from pulps.studio.reading import read_apart
from pulps.studio.tables import describe

CSV = b"a,b\n1,x\n2,y\n"


def refused(content, **limits):
    with pytest.raises(Refusal) as caught:
        read_apart(content, "mine.csv", Limits(**limits))
    return caught.value.status_code, caught.value.detail


def test_what_comes_back_is_the_table_and_its_description():
    upload, columns = read_apart(CSV, "mine.csv", Limits())
    pd.testing.assert_frame_equal(upload.frame, pd.DataFrame({"a": [1, 2], "b": ["x", "y"]}))
    assert columns == describe(upload.frame)


def test_a_small_file_that_holds_a_vast_table_is_refused():
    status, reason = refused(gzip.compress(b"a\n" + b"0\n" * 10**6), table_bytes=10**6)
    assert status == 413
    assert "1000000 bytes" in reason


def test_a_table_that_takes_too_much_memory_or_time_is_given_up():
    wide = pd.DataFrame(np.zeros((400, 400), dtype=int)).to_csv(index=False).encode()
    assert refused(wide, read_memory=2**20)[0] == 413
    status, reason = refused(wide, read_seconds=0.0)
    assert status == 413
    assert "longer than 0 seconds" in reason


def test_pictures_are_sent_to_python():
    with pytest.raises(Refusal, match=r"not a table.*ImageFolder"):
        read_apart(b"PK", "digits.ZIP", Limits())


def test_what_cannot_be_read_gets_the_reason():
    assert refused(b"a,a\n1,2\n") == (
        422,
        "mine.csv has more than one column named 'a'. Rename or drop the copies.",
    )
