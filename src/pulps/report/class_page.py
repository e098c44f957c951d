"""Pages on several classes and on images: the same styles and script, one color per class."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

import pandas as pd
from markupsafe import Markup

from pulps.report.answer import percent
from pulps.report.candidates import as_table
from pulps.report.charts import curve_chart, distribution_chart, full_width
from pulps.report.colors import class_colors
from pulps.report.render import (
    TERMS,
    columns_that_hold_numbers,
    columns_to_show,
    csv_for_download,
    hash_of,
    own_file,
    page_environment,
    style_of_term,
    unbroken,
)

MOST_OUTLINES = 12  # classes beyond which outlines of all of them cannot be told apart


def render_classes(data: dict[str, Any]) -> str:
    """Fill the page with the data of a report on several classes.

    Parameters
    ----------
    data
        From :func:`pulps.report.classes.collect_classes`.

    Returns
    -------
    str
        The page.
    """
    names = [item["name"] for item in data["classes"]]
    listed = as_table(data["candidates"])
    listed.insert(0, "class", [names[item["class"]] for item in data["candidates"]["rows"]], True)
    groups = _outlined(data["classes"])
    largest = max((item["size"] for item in data["importance"]["attributes"]), default=0) or 1
    return (
        page_environment()
        .get_template("classes.html")
        .render(
            **_common(data, listed),
            shown=columns_to_show(data),
            numeric=columns_that_hold_numbers(data["candidates"]),
            groups=groups,
            attribute_charts=[
                distribution_chart(item, (), [f"class{number}" for number in groups])
                for item in data["attributes"]
            ],
            largest=largest,
        )
    )


def render_images(data: dict[str, Any]) -> str:
    """Fill the page with the data of a report on images.

    Parameters
    ----------
    data
        From :func:`pulps.report.images.collect_images`.

    Returns
    -------
    str
        The page.
    """
    columns = ["class", *([data["id"]] if data["id"] is not None else []), "row", "probability"]
    names = [item["name"] for item in data["classes"]]
    rows = [
        [names[item["class"]]]
        + ([item["id"]] if data["id"] is not None else [])
        + [item["row"], item["probability"]]
        for item in data["listed"]
    ]
    return (
        page_environment()
        .get_template("images.html")
        .render(
            **_common(data, pd.DataFrame(rows, columns=columns)),
            of_classes="blend" in data["learned"],
        )
    )


def _common(data: dict[str, Any], listed: pd.DataFrame) -> dict[str, Any]:
    """Fill in what both pages have: names, colors, training, and rows to download."""
    colors = class_colors(len(data["classes"]), open_set=data["learned"]["open_set"])
    script, style = own_file("report.js"), own_file("report.css") + _style(colors)
    terms = data["training"]["terms"]
    return {
        "data": data,
        "names": [item["name"] for item in data["classes"]],
        "version": version("pulps"),
        "style": Markup(style),
        "script": Markup(script),
        "script_hash": hash_of(script),
        "style_hash": hash_of(style),
        "csv": csv_for_download(listed),
        "loss_charts": full_width(curve_chart, terms, [*map(style_of_term, terms)])
        if terms
        else None,
        "terms": [(style_of_term(name), TERMS[name]) for name in terms],
        "level": _level,
        "percent": lambda value: "unknown" if value is None else unbroken(percent(value)),
        "number": lambda value: f"{round(value):,}",
        "unbroken": unbroken,
    }


def _style(colors: list[str]) -> str:
    """One color per class; dashes tell those apart that follow each other."""
    dashes = ("", " stroke-dasharray: 7 2;", " stroke-dasharray: 3 2;")
    return "".join(
        f"svg .line-class{number} {{ stroke: {color};{dashes[number % 3]} }}\n"
        f"svg .bar-class{number}, .bar-class{number} {{ fill: {color}; background: {color}; }}\n"
        for number, color in enumerate(colors)
    )


def _outlined(classes: list[dict[str, Any]]) -> list[int]:
    """Numbers of the classes whose rows are drawn: all, or those with most rows."""
    sizes = [item["n_labeled"] + item["n_found"] for item in classes]
    largest = sorted(range(len(classes)), key=lambda number: -sizes[number])[:MOST_OUTLINES]
    return sorted(largest)


def _level(value: float, total: float) -> int:
    """Shade of a cell of a table of counts, by its share of the row."""
    return min(9, int(10 * value / total)) if total else 0
