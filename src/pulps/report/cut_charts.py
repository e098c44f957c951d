"""Pictures of what to expect of a cut: precision and recall, one over the other, gain, lift."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from pulps.report.charts import RIGHT, Frame, short

SQUARE = (380, 260)
FEW_ROWS = 10  # with fewer, a lift is mostly noise


def cut_chart(cuts: dict[str, Any], size: tuple[int, int]) -> dict[str, Any]:
    """Draw expected precision and recall over the number of rows called positive.

    Parameters
    ----------
    cuts
        The entry ``cuts`` of a report.
    size
        Width and height of the picture.

    Returns
    -------
    dict
        A chart; ``places`` has the horizontal coordinate of every step.
    """
    steps = [step for step in cuts["steps"] if step["rows"]]
    most = max(2, steps[-1]["rows"]) if steps else 2
    title = "rows called positive"
    frame = Frame(size, (0.0, math.log10(most)), (0.0, 1.0), title, "share, expected")

    def points(values: Iterable[tuple[int, float]]) -> str:
        return " ".join(f"{frame.x(math.log10(n))},{frame.y(value)}" for n, value in values)

    lines = [
        {"kind": name, "points": points((step["rows"], step[name]) for step in steps)}
        for name in ("precision", "recall")
    ]
    bounds = [(step["rows"], step["precision_interval"]) for step in steps]
    areas = []
    if bounds and bounds[0][1][0] is not None:
        around = [(n, high) for n, (_, high) in bounds]
        around += [(n, low) for n, (low, _) in reversed(bounds)]
        areas = [{"kind": "precision", "points": points(around)}]
    places = [frame.x(math.log10(max(1, step["rows"]))) for step in cuts["steps"]]
    own = cuts["steps"][cuts["own"]]["rows"]
    return frame.chart(
        lines=lines,
        areas=areas,
        marks=[frame.mark(math.log10(max(1, own)), "")],
        x_ticks=_powers(frame, most),
        y_ticks=frame.y_ticks(percent=True),
        places=places,
    )


def _powers(frame: Frame, most: int) -> list[dict[str, Any]]:
    """Ticks at 1, 2, 5, 10 and so on, where there is room."""
    steps: tuple[int, ...] = (1, 2, 5) if frame.width > 600 or most < 1000 else (1,)
    numbers = [step * 10**power for power in range(int(math.log10(most)) + 1) for step in steps]
    last = frame.width - RIGHT
    return [
        {"x": min(frame.x(math.log10(n)), last - 4), "text": short(n)}
        for n in numbers
        if n <= most
    ]


def gain_chart(cuts: dict[str, Any], size: tuple[int, int]) -> dict[str, Any]:
    """Draw the share of positives found over the share of rows looked at.

    Parameters
    ----------
    cuts, size
        As in :func:`cut_chart`.

    Returns
    -------
    dict
        A chart with the line that a random order would have.
    """
    frame = Frame(size, (0.0, 1.0), (0.0, 1.0), "share of rows looked at", "positives found")
    known = [(0.0, 0.0), *((s["share"], s["recall"]) for s in cuts["steps"]), (1.0, 1.0)]
    points = " ".join(f"{frame.x(x)},{frame.y(y)}" for x, y in sorted(known))
    chance = f"{frame.x(0)},{frame.y(0)} {frame.x(1)},{frame.y(1)}"
    return frame.chart(
        lines=[{"kind": "chance", "points": chance}, {"kind": "recall", "points": points}],
        marks=[frame.mark(cuts["steps"][cuts["own"]]["share"], "the cut")],
        x_ticks=frame.x_ticks(percent=True),
        y_ticks=frame.y_ticks(percent=True),
    )


def lift_chart(cuts: dict[str, Any], size: tuple[int, int]) -> dict[str, Any]:
    """Draw how many times more positives are found than in random rows.

    Parameters
    ----------
    cuts, size
        As in :func:`cut_chart`.

    Returns
    -------
    dict
        A chart with the line that a random order would have.
    """
    known = sorted(
        (step["share"], step["recall"] / step["share"])
        for step in cuts["steps"]
        if step["share"]
        and (step["rows"] >= FEW_ROWS or step["rows"] == cuts["steps"][-1]["rows"])
    )
    top = max((lift for _, lift in known), default=1.0)
    frame = Frame(
        size,
        (0.0, 1.0),
        (0.0, max(2.0, top)),
        "share of rows looked at",
        "times better than chance",
    )
    points = " ".join(f"{frame.x(x)},{frame.y(y)}" for x, y in known)
    chance = f"{frame.x(0)},{frame.y(1)} {frame.x(1)},{frame.y(1)}"
    return frame.chart(
        lines=[{"kind": "chance", "points": chance}, {"kind": "precision", "points": points}],
        marks=[frame.mark(cuts["steps"][cuts["own"]]["share"], "the cut")],
        x_ticks=frame.x_ticks(percent=True),
        y_ticks=frame.y_ticks(),
    )


def recall_chart(curves: dict[str, Any]) -> dict[str, Any]:
    """Draw precision over recall with its band.

    Parameters
    ----------
    curves
        The entry ``curves`` of a report.

    Returns
    -------
    dict
        A small chart.
    """
    title = "positives found (recall)"
    frame = Frame(SQUARE, (0.0, 1.0), (0.0, 1.0), title, "precision")

    def points(places: Iterable[float], values: Iterable[float]) -> str:
        return " ".join(f"{frame.x(x)},{frame.y(y)}" for x, y in zip(places, values, strict=True))

    places = curves["recall"]
    around = [*places, *reversed(places)], [*curves["high"], *reversed(curves["low"])]
    return frame.chart(
        lines=[{"kind": "precision", "points": points(places, curves["precision"])}],
        areas=[{"kind": "precision", "points": points(*around)}],
        marks=[frame.mark(curves["own"], "the cut")],
        x_ticks=frame.x_ticks(percent=True),
        y_ticks=frame.y_ticks(percent=True),
    )
