"""Shapes stay inside their picture."""

from pulps.report.charts import curve_chart, score_chart


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
