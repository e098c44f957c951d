"""What a cell is, read from its text."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pulps import PUClassifier
from pulps.tables.cells import number_in, read_numbers

CELLS = st.one_of(st.text(alphabet="0123456789eE+-., '€$%", max_size=8), st.text(max_size=8))


@given(CELLS, st.sampled_from([".", ","]))
@example("E1", ".")
@example("e+05", ",")
@example(".e3", ".")
def test_every_text_is_a_number_or_none(text, decimal):
    found = number_in(text, decimal)
    assert found is None or isinstance(found, float)


@given(st.floats(allow_nan=False), st.sampled_from([".", ","]))
def test_a_number_is_read_as_it_is_written(number, decimal):
    assert number_in(repr(number).replace(".", decimal), decimal) == number


@pytest.mark.parametrize("text", ["E1", "e5", "+E2", "-", "x", "1 2 3 x", "€"])
def test_codes_with_digits_are_no_numbers(text):
    found = number_in(text)
    assert found is None or math.isnan(found)


def test_codes_that_end_like_powers_of_ten_are_words():
    grades = np.array(["D5", "E1", "E2", "A1"] * 20, dtype=object)
    assert read_numbers(grades).unreadable.all()
    table = pd.DataFrame({"grade": grades, "amount": np.arange(80.0)})
    model = PUClassifier(views=("bagging",), random_state=0)
    model.fit(table, (np.arange(80) % 4 == 1) & (np.arange(80) < 60))
    found = model.predict(table)
    assert found[grades == "E1"].all()
    assert not found[grades == "A1"].any()
