"""Numbers become shapes: bars, steps and lines in the coordinates of a small picture.

A chart is a dict of shapes that the page's template draws as inline SVG. ``kind`` names a
style of the page; the template escapes all text.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from pulps.io.plain import plain_number
from pulps.report.date_ticks import date_ticks

LEFT, RIGHT, TOP, BOTTOM, TITLED_BOTTOM = 58, 24, 20, 26, 42
SIZES = {"wide": (1040, 300), "narrow": (380, 260)}  # of full-width charts, by width of the page
SMALL = (320, 190)
SLANTED = 44  # room below the axis for names that stand aslant
LONGEST_NAME = 12
UNGROUPED = 10_000
LETTER = 6.4  # width of a letter of a tick
BARS, LINES = ("unlabeled", "labeled"), ("negative", "positive")  # groups of rows, in order


class Frame:
    """The inner rectangle of a chart and its two scales.

    Parameters
    ----------
    size
        Width and height of the picture.
    x_range, y_range
        Smallest and largest value along each axis.
    x_title, y_title
        What the axes show.
    """

    def __init__(
        self,
        size: tuple[int, int],
        x_range: tuple[float, float],
        y_range: tuple[float, float],
        x_title: str = "",
        y_title: str = "",
    ):
        self.width, self.height = size
        self.x_range: tuple[float, float] = x_range
        self.y_range: tuple[float, float] = y_range
        self.x_title, self.y_title = x_title, y_title
        self.bottom = self.height - (TITLED_BOTTOM if x_title else BOTTOM)

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
        share = _share(value, *self.x_range)
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
        share = _share(value, *self.y_range)
        return round(self.bottom - share * (self.bottom - TOP), 1)

    def chart(self, **shapes: Any) -> dict[str, Any]:
        """Make a chart of this frame's size.

        Parameters
        ----------
        **shapes
            Lists of bars, areas, lines, marks and ticks.

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
            "bottom": self.bottom,
            "x_title": self.x_title,
            "y_title": self.y_title,
            "x_ticks": [],
            "y_ticks": [],
            "bars": [],
            "areas": [],
            "places": [],
            "lines": [],
            "marks": [],
        } | shapes

    def mark(self, value: float, text: str) -> dict[str, Any]:
        """Draw a vertical line with words on the side where there is room.

        Parameters
        ----------
        value
            Where on the horizontal axis.
        text
            The words.

        Returns
        -------
        dict
        """
        x = self.x(value)
        at_end = x + LETTER * len(text) > self.width - RIGHT
        return {"x": x, "text": text, "anchor": "end" if at_end else "start"}

    def x_ticks(self, *, percent: bool = False) -> list[dict[str, Any]]:
        """Choose as many ticks of the horizontal axis as there is room for.

        Parameters
        ----------
        percent
            Whether values are shares.

        Returns
        -------
        list of dict
        """
        for about in range(max(4, self.width // 90), 1, -1):
            found = ticks(*self.x_range, about, least=min(4, about))
            texts = [(v, _written(v, percent)) for v in found]
            apart = self.x(found[1]) - self.x(found[0]) if len(found) > 1 else self.width
            if (max(len(text) for _, text in texts) + 1) * LETTER < apart:
                break
        return [{"x": self.x(v), "text": text} for v, text in texts]

    def y_ticks(self, *, percent: bool = False) -> list[dict[str, Any]]:
        """Choose ticks of the vertical axis.

        Parameters
        ----------
        percent
            Whether values are shares.

        Returns
        -------
        list of dict
        """
        return [{"y": self.y(v), "text": _written(v, percent)} for v in ticks(*self.y_range)]


def _share(value: float, low: float, high: float) -> float:
    """Tell how far a value is from one end of a range to the other."""
    if not math.isfinite(high - low):
        value, low, high = value / 2, low / 2, high / 2
    return (value - low) / (high - low or 1)


def ticks(low: float, high: float, about: int = 5, *, least: int = 4) -> list[float]:
    """Find round numbers between two numbers.

    Parameters
    ----------
    low, high
        The two numbers.
    about
        How many are wanted.
    least
        How many there must be.

    Returns
    -------
    list of float
        The numbers, ascending.

    Examples
    --------
    >>> ticks(0, 1), ticks(-3, 17)
    ([0.0, 0.2, 0.4, 0.6, 0.8, 1.0], [0.0, 5.0, 10.0, 15.0])
    >>> ticks(0, 1.9, 3)
    [0.0, 0.5, 1.0, 1.5]
    """
    if not high > low:
        return [low]
    for wanted in range(about, about + 12):
        rough = high / wanted - low / wanted
        scale = 10.0 ** math.floor(math.log10(rough))
        step = next(scale * nice for nice in (1, 2, 5, 10) if scale * nice >= 0.999 * rough)
        first = math.ceil(low / step - 1e-9)
        last = math.floor(high / step + 1e-9)
        if last - first >= least - 1:
            break
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
        In plain digits; millions and billions by their letter.

    Examples
    --------
    >>> short(0.5), short(1200000), short(-0.0), short(25000), short(0.00002)
    ('0.5', '1.2M', '0', '25,000', '0.00002')
    """
    for size, letter in ((1e9, "B"), (1e6, "M")):
        if size <= abs(value) < 1000 * size:
            return plain_number(value / size, 4) + letter
    text = plain_number(value, 4)
    return f"{int(text):,}" if text.lstrip("-").isdigit() else text


def full_width(draw: Callable[..., dict[str, Any]], *given: Any) -> dict[str, dict[str, Any]]:
    """Draw a chart for wide and for narrow pages.

    Parameters
    ----------
    draw
        Takes what is given and the size of the picture.
    *given
        What to draw.

    Returns
    -------
    dict
        A chart per name of ``SIZES``.
    """
    return {name: draw(*given, size) for name, size in SIZES.items()}


def score_chart(scores: dict[str, Any], size: tuple[int, int]) -> dict[str, Any]:
    """Draw the histogram of decisions: labeled rows stacked on unlabeled ones.

    Parameters
    ----------
    scores
        The entry ``scores`` of a report.
    size
        Width and height of the picture.

    Returns
    -------
    dict
        A chart, with a mark at the threshold.
    """
    edges = scores["edges"]
    totals = [a + b for a, b in zip(scores["labeled"], scores["unlabeled"], strict=True)]
    top = max(totals, default=1) or 1
    frame = Frame(size, (edges[0], edges[-1]), (0, top), "score, 0 at the cut", "rows")
    bars = []
    for i, total in enumerate(totals):
        below = scores["unlabeled"][i]
        for kind, low, high in (("unlabeled", 0, below), ("labeled", below, total)):
            if high > low:
                bars.append(_bar(frame, edges[i], edges[i + 1], low, high, kind))
    return frame.chart(
        bars=bars,
        marks=[frame.mark(0.0, "the cut")],
        x_ticks=frame.x_ticks(),
        y_ticks=frame.y_ticks(),
    )


def distribution_chart(
    item: dict[str, Any], in_bars: Sequence[str] = BARS, in_lines: Sequence[str] = LINES
) -> dict[str, Any]:
    """Draw an attribute: bars for labeled and unlabeled rows, outlines for classes.

    Parameters
    ----------
    item
        One of the entries ``attributes`` of a report.
    in_bars, in_lines
        Groups of rows, by the keys of the item.

    Returns
    -------
    dict
        A chart; categories are drawn as bars only.
    """
    groups = [group for group in (*in_bars, *in_lines) if item[group] is not None]
    top = max((value for group in groups for value in item[group]), default=1) or 1
    if item["kind"] == "categories":
        return _category_chart(item, top, groups)
    edges = item["edges"]
    frame = Frame(SMALL, (edges[0], edges[-1]), (0, top))
    bars = [
        _bar(frame, edges[i], edges[i + 1], 0, item[group][i], group)
        for group in in_bars
        for i in range(len(edges) - 1)
        if item[group][i] > 0
    ]
    lines = [
        {"kind": group, "points": _steps(frame, edges, item[group])}
        for group in in_lines
        if item[group] is not None
    ]
    dates = date_ticks(item["part"], edges[0], edges[-1])
    x_ticks: list[dict[str, Any]] = [{"x": frame.x(at), "text": text} for at, text in dates]
    x_ticks = x_ticks or frame.x_ticks()
    if edges[-1] < UNGROUPED:  # a year has no comma
        x_ticks = [tick | {"text": tick["text"].replace(",", "")} for tick in x_ticks]
    return frame.chart(
        bars=bars, lines=lines, x_ticks=x_ticks, y_ticks=frame.y_ticks(percent=True)
    )


def _category_chart(item: dict[str, Any], top: float, groups: Sequence[str]) -> dict[str, Any]:
    names = item["categories"]
    room = max(3, 40 // len(names))
    slanted = max(map(len, names)) > room
    size = SMALL[0], SMALL[1] + SLANTED * slanted
    frame = Frame(size, (0, len(names)), (0, top))
    frame.bottom = SMALL[1] - BOTTOM
    bars = []
    width = 0.8 / len(groups)
    for number, group in enumerate(groups):
        for i, value in enumerate(item[group]):
            if value > 0:
                left = i + 0.1 + width * number
                bars.append(_bar(frame, left, left + width, 0, value, group))
    x_ticks = [
        {"x": frame.x(i + 0.5), "text": _within(name)} | ({"slanted": True} if slanted else {})
        for i, name in enumerate(names)
    ]
    return frame.chart(bars=bars, x_ticks=x_ticks, y_ticks=frame.y_ticks(percent=True))


def _within(name: str) -> str:
    """Shorten a name; its end tells as much as its beginning."""
    return name if len(name) <= LONGEST_NAME else f"{name[:6]}…{name[7 - LONGEST_NAME :]}"


def curve_chart(
    curves: dict[str, Sequence[float | None]], kinds: Sequence[str], size: tuple[int, int]
) -> dict[str, Any]:
    """Draw curves over the epochs on a logarithmic scale.

    Parameters
    ----------
    curves
        One curve per name; zeros are drawn at the bottom, and None is left out.
    kinds
        Style of each curve.
    size
        Width and height of the picture.

    Returns
    -------
    dict
        A chart.
    """
    known = [v for curve in curves.values() for v in curve if v is not None and v > 0]
    low = math.log10(max(min(known, default=1e-3), max(known, default=1) * 1e-6))
    high = math.log10(max(known, default=1))
    length = max(map(len, curves.values()))
    span = low, max(high, low + 1)
    frame = Frame(size, (1, max(2, length)), span, "passes over the rows", "loss")
    lines = []
    for kind, curve in zip(kinds, curves.values(), strict=True):
        points = [
            f"{frame.x(epoch)},{frame.y(max(low, math.log10(value)) if value > 0 else low)}"
            for epoch, value in enumerate(curve, start=1)
            if value is not None
        ]
        lines.append({"kind": kind, "points": " ".join(points)})
    steps = (1, 2, 5) if frame.y_range[1] - low < 3 else (1,)
    y_ticks = [
        {"y": frame.y(math.log10(step * 10.0**power)), "text": short(step * 10.0**power)}
        for power in range(math.floor(low), math.ceil(frame.y_range[1]) + 1)
        for step in steps
        if low <= math.log10(step * 10.0**power) <= frame.y_range[1]
    ]
    return frame.chart(lines=lines, x_ticks=frame.x_ticks(), y_ticks=y_ticks)


def _bar(
    frame: Frame, left: float, right: float, low: float, high: float, kind: str
) -> dict[str, Any]:
    x, y = frame.x(left), frame.y(high)
    return {
        "kind": kind,
        "x": x,
        "y": y,
        "width": round(max(0.5, frame.x(right) - x - 0.5), 1),
        "height": round(max(0.5, frame.y(low) - y), 1),
    }


def _steps(frame: Frame, edges: Sequence[float], values: Sequence[float]) -> str:
    points = [f"{frame.x(edges[0])},{frame.y(0)}"]
    for i, value in enumerate(values):
        points += [f"{frame.x(edges[i + j])},{frame.y(value)}" for j in (0, 1)]
    return " ".join([*points, f"{frame.x(edges[-1])},{frame.y(0)}"])


def _written(value: float, percent: bool) -> str:
    return f"{short(100 * value)} %" if percent else short(value)
