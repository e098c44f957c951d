"""What a column is, guessed by one rule."""

import datetime

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from pulps.tables.encoding import TableEncoder
from pulps.tables.notices import TableWarning
from pulps.tables.roles import guess_role, typed

N = 60
RNG = np.random.default_rng(0)
COLUMNS = {
    "customer_id": (np.arange(N) + 7000, "identifier"),
    "customerId": (np.arange(N) + 7000, "identifier"),
    "amount": (np.arange(N) + 7000, "number"),
    "mail": ([f"p{i}@example.org" for i in range(N)], "identifier"),
    "key": ([f"K-{i:04}" for i in range(N)], "identifier"),
    "comment": ([f"they said {i} that all is well" for i in range(N)], "text"),
    "comma": ([f"{i},5" for i in range(N)], "number"),
    "comma, all digits": ([f"{i},{RNG.integers(10**15, 10**16)}" for i in range(N)], "number"),
    "all digits, some unknown": (
        [f"{i}.{RNG.integers(10**15, 10**16)}" if i % 15 else "unknown" for i in range(N)],
        "number",
    ),
    "cards": ([f"4000{i:012}" for i in range(N)], "identifier"),
    "euros": ([f"1.{i:03},00 €" for i in range(N)], "number"),
    "dollars": ([f"$1,{i:03}.50" for i in range(N)], "number"),
    "some unknown": ([f"{i}.5" if i % 15 else "unknown" for i in range(N)], "number"),
    "zip": ([f"0{i % 9}100" for i in range(N)], "category"),
    "codes as text": ([str(i % 4) for i in range(N)], "category"),
    "word": (["red", "blue", "NA"] * (N // 3), "category"),
    "flag": ([True, False] * (N // 2), "category"),
    "day": (["31.01.2024", "01.02.2024"] * (N // 2), "date"),
    "american": (["12/31/2024", "02/01/2024"] * (N // 2), "date"),
    "moment": (["2024-01-31T10:00:00", "2024-02-01T00:30:00"] * (N // 2), "date"),
    "clock": (["10:30", "23:05"] * (N // 2), "date"),
    "dates": ([datetime.date(2024, 1, 1 + i % 28) for i in range(N)], "date"),
    "ids in text": ([f"{i:032x}" for i in RNG.integers(0, 2**60, N).tolist()], "identifier"),
}


@pytest.mark.parametrize("name", COLUMNS)
@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_a_column_is_what_it_seems_in_every_library(name, library):
    cells, role = COLUMNS[name]
    make = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}[library]
    table = make({name: cells})
    series = nw.from_native(table, eager_only=True)[name]
    assert guess_role(name, series).kind == role


def test_what_is_left_out_is_said_and_can_be_kept():
    frame = pd.DataFrame({"key": COLUMNS["key"][0], "size": RNG.normal(size=N)})
    with pytest.warns(TableWarning, match=r"Left out: key \(identifier: 60 different values"):
        encoder = TableEncoder().fit(frame)
    assert [column.name for column in encoder.left_out_] == ["key"]
    with pytest.warns(TableWarning, match="key: 60 rare values became 2 groups"):
        kept = TableEncoder(roles={"key": "category"}).fit(frame)
    assert [column.name for column in kept.columns_] == ["key", "size"]
    dropped = TableEncoder(roles={"key": "identifier"}).fit(frame)  # no need to warn
    assert dropped.left_out_[0].reason == "as you said"


def test_what_to_type_for_a_left_out_column_can_be_typed():
    frame = pd.DataFrame({"my key": COLUMNS["key"][0], "size": RNG.normal(size=N)})
    with pytest.warns(TableWarning, match="or --categorical 'my key'"):
        TableEncoder().fit(frame)


def test_left_out_columns_need_not_be_there_later():
    frame = pd.DataFrame({"size": RNG.normal(size=N), "note": "same", "key": "x"})
    encoder = TableEncoder(roles={"key": "out"}).fit(frame)
    np.testing.assert_array_equal(encoder.transform(frame[["size"]]), encoder.transform(frame))


def test_rare_words_are_merged_and_new_ones_have_a_group():
    words = np.array(["big"] * 100 + [f"rare {i}" for i in range(120)] * 2)
    frame = pd.DataFrame({"word": words, "size": RNG.normal(size=340)})
    with pytest.warns(TableWarning, match="word: 120 rare values became 4 groups, 1 value stays"):
        encoder = TableEncoder().fit(frame)
    column = encoder.columns_[0]
    assert column.categories.tolist() == ["big", *(f"(other {i})" for i in range(1, 5))]
    encoded = encoder.transform(pd.DataFrame({"word": ["big", "never seen"], "size": [0, 0]}))
    assert encoded[0, 0] == 0
    assert encoded[1, 0] in (1, 2, 3, 4)


def test_infinite_numbers_count_as_the_largest_of_the_fit():
    frame = pd.DataFrame({"a": [1.0, np.inf, -np.inf, 5.0], "b": [0, 1, 2, 3]})
    with pytest.warns(TableWarning, match="a: 2 infinite numbers"):
        encoder = TableEncoder(numeric_scale="min-max").fit(frame)
    assert encoder.transform(frame)[:, 0].tolist() == [0, 1, 0, 1]


def test_text_gets_the_type_it_has_throughout():
    text = pd.DataFrame(
        {
            "whole": ["1", "2"], "real": ["1.5", "NA"], "code": ["01", "2"],
            "truth": ["true", None], "word": ["NA", "x"], "comma": ["1,5", "2"],
            "long": ["12345678901234567", "1"],
        }
    )  # fmt: skip
    frame, roles = typed(text, ",")
    assert [str(frame[name].dtype) for name in ("whole", "real")] == ["int64", "float64"]
    assert frame["truth"].tolist()[0] is True
    assert pd.isna(frame["truth"][1])
    for name in ("code", "word", "long"):
        assert frame[name].tolist() == text[name].tolist()
    assert roles == {"comma": "comma number", "real": "number"}


def test_infinity_between_numbers_of_a_file_is_a_number_and_a_word_between_words():
    text = pd.DataFrame(
        {
            "real": ["1.5", "inf", "-Infinity"],
            "whole": ["1", "inf", "NA"],
            "word": ["inf", "sup", "1"],
        }
    )
    frame, _ = typed(text)
    assert frame["real"].tolist() == [1.5, np.inf, -np.inf]
    assert frame["whole"].tolist()[:2] == [1, np.inf]
    assert frame["word"].tolist() == text["word"].tolist()


def test_the_mark_of_a_german_export_is_found_whatever_the_precision():
    text = pd.DataFrame({"a": ["0,12345678901234567", "-1,2345678901234567", "3"]})
    frame, roles = typed(text, ",")
    assert roles == {"a": "comma number"}
    encoder = TableEncoder(numeric_scale="min-max").fit(frame)
    assert encoder.transform(frame)[:, 0].argmax() == 2
