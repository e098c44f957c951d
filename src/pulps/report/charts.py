"""Numbers become shapes: bars, steps and lines in the coordinates of a small picture.

A chart is a dict of shapes that the page's template draws as inline SVG. ``kind`` names a
style of the page; the template escapes all text.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

LEFT, RIGHT, TOP, BOTTOM = 44, 10, 10, 26
GROUPS = ("unlabeled", "labeled", "negative", "positive")  # of rows, in the order of bars


class Frame:
    """The inner rectangle of a chart and its two scales.

    Parameters
    ----------
    width, height
        Size of the picture.
    x_range, y_range
        Smallest and largest value along each axis.
    """

    def __init__(self, width, height, x_range, y_range):
        self.width, self.height = width, height
        self.x_range: tuple[float, float] = x_range
        self.y_range: tuple[float, float] = y_range

    def x(self, value: float) -> float:
        """Return the horizontal coordinate of a value.

        Parameters
        ----------
        value
            A value on the axis.

        Returns
        -------
        float
            In pixels.
        """
        low, high = self.x_range
        share = (value - low) / (high - low or 1)
        return round(LEFT + share * (self.width - LEFT - RIGHT), 1)

    def y(self, value: float) -> float:
        """Return the vertical coordinate of a value.

        Parameters
        ----------
        value
            A value on the axis.

        Returns
        -------
        float
            In pixels.
        """
        low, high = self.y_range
        share = (value - low) / (high - low or 1)
        return round(self.height - BOTTOM - share * (self.height - TOP - BOTTOM), 1)

    def chart(self, **shapes) -> dict:
        """Make a chart of this frame's size.

        Parameters
        ----------
        **shapes
            Lists of bars, lines, marks and ticks.

        Returns
        -------
        dict
            What the template draws.
        """
        return {
            "width": self.width,
            "height": self.height,
            "left": LEFT,
            "right": self.width - RIGHT,
            "top": TOP,
            "bottom": self.height - BOTTOM,
            "x_ticks": [],
            "y_ticks": [],
            "bars": [],
            "lines": [],
            "marks": [],
        } | shapes


def ticks(low: float, high: float, about: int = 5) -> list[float]:
    """Find round numbers between two numbers.

    Parameters
    ----------
    low, high
        The two numbers.
    about
        How many are wanted.

    Returns
    -------
    list of float
        The numbers, ascending.

    Examples
    --------
    >>> ticks(0, 1), ticks(-3, 17)
    ([0.0, 0.2, 0.4, 0.6, 0.8, 1.0], [0.0, 5.0, 10.0, 15.0])
    """
    if not high > low:
        return [low]
    rough = (high - low) / about
    scale = 10 ** math.floor(math.log10(rough))
    step = next(scale * nice for nice in (1, 2, 5, 10) if scale * nice >= 0.999 * rough)
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [float(f"{step * i:.12g}") for i in range(first, last + 1)]


def short(value: float) -> str:
    """Write the number of a tick.

    Parameters
    ----------
    value
        The number.

    Returns
    -------
    str
        With four digits.

    Examples
    --------
    >>> short(0.5), short(1200000), short(-0.0)
    ('0.5', '1.2e+06', '0')
    """
    return f"{value + 0:.4g}"


def score_chart(scores: dict) -> dict:
    """Draw the histogram of decisions: labeled rows stacked on unlabeled ones.

    Parameters
    ----------
    scores
        The entry ``scores`` of a report.

    Returns
    -------
    dict
        A chart, with a mark at the threshold.
    """
    edges = scores["edges"]
    totals = [a + b for a, b in zip(scores["labeled"], scores["unlabeled"], strict=True)]
    frame = Frame(520, 220, (edges[0], edges[-1]), (0, max(totals, default=1) or 1))
    bars = []
    for i, total in enumerate(totals):
        below = scores["unlabeled"][i]
        for kind, low, high in (("unlabeled", 0, below), ("labeled", below, total)):
            if high > low:
                bars.append(_bar(frame, edges[i], edges[i + 1], low, high, kind))
    return frame.chart(
        bars=bars,
        marks=[{"x": frame.x(0.0), "text": "threshold"}],
        x_ticks=_x_ticks(frame),
        y_ticks=_y_ticks(frame),
    )


def distribution_chart(item: dict) -> dict:
    """Draw an attribute: bars for labeled and unlabeled rows, outlines for both classes.

    Parameters
    ----------
    item
        One of the entries ``attributes`` of a report.

    Returns
    -------
    dict
        A chart; categories are drawn as bars only.
    """
    top = max((value for group in GROUPS for value in item[group] or ()), default=1) or 1
    if item["kind"] == "categories":
        return _category_chart(item, top)
    edges = item["edges"]
    frame = Frame(320, 170, (edges[0], edges[-1]), (0, top))
    bars = [
        _bar(frame, edges[i], edges[i + 1], 0, item[group][i], group)
        for group in ("unlabeled", "labeled")
        for i in range(len(edges) - 1)
        if item[group][i] > 0
    ]
    lines = [
        {"kind": group, "points": _steps(frame, edges, item[group])}
        for group in ("negative", "positive")
        if item[group] is not None
    ]
    return frame.chart(
        bars=bars,
        lines=lines,
        x_ticks=_x_ticks(frame, 3),
        y_ticks=_y_ticks(frame, 3, percent=True),
    )


def _category_chart(item: dict, top: float) -> dict:
    names = item["categories"]
    frame = Frame(320, 170, (0, len(names)), (0, top))
    bars = []
    groups = [group for group in GROUPS if item[group] is not None]
    width = 0.8 / len(groups)
    for number, group in enumerate(groups):
        for i, value in enumerate(item[group]):
            if value > 0:
                left = i + 0.1 + width * number
                bars.append(_bar(frame, left, left + width, 0, value, group))
    room = max(3, 40 // len(names))
    x_ticks = [
        {"x": frame.x(i + 0.5), "text": name if len(name) <= room else name[: room - 1] + "…"}
        for i, name in enumerate(names)
    ]
    return frame.chart(bars=bars, x_ticks=x_ticks, y_ticks=_y_ticks(frame, 3, percent=True))


def curve_chart(curves: dict[str, Sequence[float | None]], kinds: Sequence[str]) -> dict:
    """Draw curves over the epochs on a logarithmic scale.

    Parameters
    ----------
    curves
        One curve per name; zeros are drawn at the bottom, and None is left out.
    kinds
        Style of each curve.

    Returns
    -------
    dict
        A chart.
    """
    known = [v for curve in curves.values() for v in curve if v is not None and v > 0]
    low = math.log10(max(min(known, default=1e-3), max(known, default=1) * 1e-6))
    high = math.log10(max(known, default=1))
    length = max(map(len, curves.values()))
    frame = Frame(520, 240, (1, max(2, length)), (low, max(high, low + 1)))
    lines = []
    for kind, curve in zip(kinds, curves.values(), strict=True):
        points = [
            f"{frame.x(epoch)},{frame.y(max(low, math.log10(value)) if value > 0 else low)}"
            for epoch, value in enumerate(curve, start=1)
            if value is not None
        ]
        lines.append({"kind": kind, "points": " ".join(points)})
    powers = range(math.ceil(low), math.floor(frame.y_range[1]) + 1)
    y_ticks = [{"y": frame.y(power), "text": short(10.0**power)} for power in powers]
    return frame.chart(lines=lines, x_ticks=_x_ticks(frame), y_ticks=y_ticks)


def _bar(frame: Frame, left, right, low, high, kind: str) -> dict:
    x, y = frame.x(left), frame.y(high)
    return {
        "kind": kind,
        "x": x,
        "y": y,
        "width": round(max(0.5, frame.x(right) - x - 0.5), 1),
        "height": round(max(0.5, frame.y(low) - y), 1),
    }


def _steps(frame: Frame, edges, values) -> str:
    points = [f"{frame.x(edges[0])},{frame.y(0)}"]
    for i, value in enumerate(values):
        points += [f"{frame.x(edges[i + j])},{frame.y(value)}" for j in (0, 1)]
    return " ".join([*points, f"{frame.x(edges[-1])},{frame.y(0)}"])


def _x_ticks(frame: Frame, about: int = 6) -> list[dict]:
    return [{"x": frame.x(v), "text": short(v)} for v in ticks(*frame.x_range, about)]


def _y_ticks(frame: Frame, about: int = 4, *, percent: bool = False) -> list[dict]:
    return [
        {"y": frame.y(v), "text": f"{100 * v:.3g} %" if percent else short(v)}
        for v in ticks(*frame.y_range, about)
    ]
