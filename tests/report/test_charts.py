"""Shapes stay inside their picture."""

import numpy as np
import pytest

from pulps.report.charts import curve_chart, distribution_chart, score_chart
from pulps.report.date_ticks import date_ticks


def test_shapes_stay_inside_their_picture():
    chart = score_chart({"edges": [-1, 0, 1], "labeled": [0, 3], "unlabeled": [2, 1]}, (520, 220))
    for bar in chart["bars"]:
        assert chart["left"] <= bar["x"] <= bar["x"] + bar["width"] <= chart["right"]
        assert chart["top"] <= bar["y"]
        assert bar["y"] + bar["height"] <= chart["bottom"] + 0.1
    highest = min(bar["y"] for bar in chart["bars"])
    assert highest == chart["top"]
    curve = curve_chart({"a": [1.0, 0.0, None, 100.0]}, ["term0"], (520, 220))
    ys = [float(point.split(",")[1]) for point in curve["lines"][0]["points"].split()]
    assert len(ys) == 3
    assert ys[2] < ys[0] <= ys[1]


def numbers(part, low, high):
    groups = dict.fromkeys(("positive", "negative")) | {"labeled": [1.0], "unlabeled": [1.0]}
    return {"kind": "numbers", "part": part, "edges": [low, high], **groups}


def under(item):
    return [tick["text"] for tick in distribution_chart(item)["x_ticks"]]


def test_years_have_no_comma_and_large_numbers_do():
    assert under(numbers("year", 2015, 2023)) == ["2016", "2018", "2020", "2022"]
    assert under(numbers("", 0, 20_000))[-1] == "20,000"


def test_days_and_weekdays_are_told_as_people_do():
    assert under(numbers("weekday", 0, 6)) == "Mon Tue Wed Thu Fri Sat Sun".split()
    assert under(numbers("days", 16436, 19360)) == ["2016", "2018", "2020", "2022"]


@pytest.mark.parametrize("length", [1, 2, 9, 40, 100, 400, 2000, 10_000, 80_000, 700_000])
@pytest.mark.parametrize("low", [-300_000.5, 0, 19_000.2])
def test_ticks_of_days_are_few_and_true(low, length):
    found = date_ticks("days", low, low + length)
    assert len(found) <= 5
    assert len(found) >= 2 or length < 3
    for day, text in found:
        assert low <= day <= low + length
        assert np.datetime64(text).astype("datetime64[D]").astype(int) == day


def test_names_that_begin_alike_stay_apart():
    names = [f"town {number}" for number in range(12)]
    shares = dict.fromkeys(("positive", "negative")) | {
        group: [1 / 12] * 12 for group in ("labeled", "unlabeled")
    }
    chart = distribution_chart({"kind": "categories", "categories": names, **shares})
    assert [tick["text"] for tick in chart["x_ticks"]] == names
    assert all(tick["slanted"] for tick in chart["x_ticks"])
    assert chart["height"] - chart["bottom"] > 60
    short = {"labeled": [1, 0], "unlabeled": [0, 1], "positive": None, "negative": None}
    chart = distribution_chart({"kind": "categories", "categories": ["a", "b"], **short})
    assert "slanted" not in chart["x_ticks"][0]
