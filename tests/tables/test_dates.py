"""Dates of every kind become the same numbers, and numbers become dates again."""

import datetime

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pulps.tables.dates import FORMATS, PARTS, date_at, format_of, moments_of, part_of
from pulps.tables.decoding import fill, read_form, to_table
from pulps.tables.encoding import TableEncoder

MOMENTS = pd.date_range("2022-12-30 06:00", periods=30, freq="37h")


@pytest.mark.parametrize(
    "convert",
    [
        lambda f: f,
        lambda f: f.astype("datetime64[s]"),
        lambda f: f.apply(lambda c: c.dt.tz_localize("UTC")),
        lambda f: f.astype(object),
        lambda f: f.astype(str),
        lambda f: f.apply(lambda c: c.dt.strftime("%d.%m.%Y %H:%M")),
        pl.from_pandas,
        lambda f: pl.from_pandas(f).with_columns(pl.col("when").dt.replace_time_zone("UTC")),
        pa.Table.from_pandas,
    ],
)
def test_dates_of_every_kind_become_the_same_numbers(convert):
    frame = pd.DataFrame({"when": MOMENTS})
    encoder = TableEncoder().fit(frame)
    names = [column.name for column in encoder.columns_]
    assert names == [f"when ({part})" for part in PARTS]
    other = TableEncoder()
    np.testing.assert_array_equal(other.fit_transform(convert(frame)), encoder.transform(frame))
    np.testing.assert_array_equal(other.transform(convert(frame)), encoder.transform(frame))
    np.testing.assert_array_equal(other.transform(frame), encoder.transform(frame))


def test_only_parts_that_vary_are_there():
    days = pd.DataFrame({"when": [datetime.date(2024, 5, 1 + day) for day in range(14)]})
    names = [column.name for column in TableEncoder().fit(days).columns_]
    assert names == ["when (days)", "when (weekday)"]
    times = pd.DataFrame({"when": ["10:30", "11:45", "23:00"]})
    assert [c.name for c in TableEncoder().fit(times).columns_] == ["when (days)"]


@given(st.datetimes(datetime.datetime(1970, 1, 2), datetime.datetime(2068, 1, 1)))
@settings(max_examples=10, deadline=None)
def test_a_date_is_read_as_it_is_written(moment):
    days = (moment.replace(microsecond=0) - datetime.datetime(1970, 1, 1)).total_seconds() / 86400
    for form in FORMATS:
        text = date_at(days, form)
        series = nw.from_native(pd.Series([text]), series_only=True)
        read = part_of(moments_of("a", series, form), "days").item()
        assert date_at(read, form) == text


def test_day_and_month_are_told_apart_by_what_cannot_be_a_month():
    assert format_of(["13/02/2024", "01/02/2024"]) == "%d/%m/%Y"
    assert format_of(["02/13/2024", "01/02/2024"]) == "%m/%d/%Y"
    assert format_of(["1.5", "2.5"]) is None
    assert format_of(["10-12", "3-4"]) is None


def test_what_is_no_date_is_named():
    encoder = TableEncoder().fit(pd.DataFrame({"when": MOMENTS}))
    with pytest.raises(ValueError, match=r"'when .days.' was expected to hold dates.*'soon'"):
        encoder.transform(pd.DataFrame({"when": ["soon"]}))


@pytest.mark.parametrize("text", [False, True])
def test_rows_are_written_with_dates_of_the_same_kind(text):
    frame = pd.DataFrame({"when": MOMENTS, "size": np.arange(30.0)})
    if text:
        frame["when"] = frame["when"].dt.strftime("%d.%m.%Y %H:%M")
    encoder = TableEncoder()
    values = encoder.fit_transform(frame)
    form = read_form(frame, encoder)
    back = to_table(values, encoder, form)
    pd.testing.assert_frame_equal(back, frame)
    holes = frame.copy()
    holes.loc[3, "when"] = None
    pd.testing.assert_frame_equal(fill(holes, values, encoder, form), frame)
