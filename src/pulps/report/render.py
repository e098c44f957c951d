"""The page: one template, filled with escaped text, that may run only its own script.

Everything from the table is escaped by Jinja. In addition, the page's content security policy
names the hash of its one script, so that markup which got in nevertheless could neither run
nor load anything.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable
from importlib.metadata import version
from importlib.resources import files
from typing import Any

import pandas as pd
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from pulps.io.formulas import harmless_csv
from pulps.report.answer import percent
from pulps.report.candidates import as_table
from pulps.report.charts import curve_chart, distribution_chart, full_width, score_chart
from pulps.report.cut_charts import cut_chart, gain_chart, lift_chart, recall_chart

SHOWN_COLUMNS = 10
_NUMBER = re.compile(r"-?[0-9.]+(e[+-][0-9]+)?")
TERMS = {
    "labeled": "labeled rows",
    "positive": "rows called positive",
    "negative": "rows called negative",
    "norm": "size of the networks",
    "balance": "balance of the classes",
    "logistic": "rows on the wrong side",
}


def render(data: dict[str, Any]) -> str:
    """Fill the page with the data of a report.

    Parameters
    ----------
    data
        From :func:`pulps.report.learned.collect`.

    Returns
    -------
    str
        The page.
    """
    script, style = own_file("report.js"), own_file("report.css")
    terms = data["training"]["terms"] if data["training"] else {}
    held_out = data["scores"]["held_out"]
    largest = max((item["size"] for item in data["importance"]["attributes"]), default=0) or 1
    return (
        page_environment()
        .get_template("report.html")
        .render(
            data=data,
            version=version("pulps"),
            style=Markup(style),
            script=Markup(script),
            script_hash=hash_of(script),
            style_hash=hash_of(style),
            csv=csv_for_download(as_table(data["candidates"])),
            shown=columns_to_show(data),
            score_charts=full_width(score_chart, data["scores"]),
            held_out_charts=held_out and full_width(score_chart, held_out),
            slider=_slider(data),
            **{
                f"{name}_charts": data["cuts"] and full_width(draw, data["cuts"])
                for name, draw in (("cut", cut_chart), ("gain", gain_chart), ("lift", lift_chart))
            },
            recall_chart=data["curves"] and recall_chart(data["curves"]),
            attribute_charts=[distribution_chart(item) for item in data["attributes"]],
            loss_charts=full_width(curve_chart, terms, [*map(style_of_term, terms)])
            if terms
            else None,
            terms=[(style_of_term(name), TERMS[name]) for name in terms],
            largest=largest,
            level=_level(data["dependence"]),
            signed=lambda value: "–" if value is None else f"{value:+.2f}".replace("-", "−"),
            percent=lambda value: "unknown" if value is None else unbroken(percent(value)),
            unbroken=unbroken,
            numeric=columns_that_hold_numbers(data["candidates"]),
            number=lambda value: f"{round(value):,}",
        )
    )


def page_environment() -> Environment:
    """Find the templates of pages; everything that is filled in is escaped.

    Returns
    -------
    Environment
    """
    return Environment(
        loader=PackageLoader("pulps.report", "page"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def csv_for_download(table: pd.DataFrame) -> str:
    """Write a table into a link: nothing in it is a formula for a spreadsheet.

    Parameters
    ----------
    table
        The table.

    Returns
    -------
    str
        In base 64.
    """
    return base64.b64encode(b"\xef\xbb\xbf" + harmless_csv(table).encode()).decode()


def _slider(data: dict[str, Any]) -> list[dict[str, Any]]:
    """List what the slider shows for every step."""
    if not data["cuts"]:
        return []
    return [
        {
            "rows": step["rows"],
            "decision": step["decision"],
            "value": data["learned"]["threshold"] + step["decision"],
            "precision": step["precision"],
            "low": step["precision_interval"][0],
            "high": step["precision_interval"][1],
            "recall": step["recall"],
        }
        for step in data["cuts"]["steps"]
    ]


def unbroken(text: str) -> str:
    """Keep numbers and their percent signs on one line.

    Parameters
    ----------
    text
        A sentence.

    Returns
    -------
    str
    """
    return text.replace(" %", "\N{NO-BREAK SPACE}%")


def columns_that_hold_numbers(candidates: dict[str, Any]) -> list[bool]:
    """Tell which columns of the listed rows hold numbers only.

    Parameters
    ----------
    candidates
        From :func:`pulps.report.candidates.candidates`.

    Returns
    -------
    list of bool
    """
    return [
        all(not item["cells"][i] or _NUMBER.fullmatch(item["cells"][i]) for item in rows)
        for rows in [candidates["rows"]]
        for i in range(len(candidates["columns"]))
    ]


def style_of_term(term: str) -> str:
    """Name the style of a term of the loss.

    Parameters
    ----------
    term
        Its name in ``TERMS``.

    Returns
    -------
    str
    """
    return f"term{list(TERMS).index(term)}"


def own_file(name: str) -> str:
    """Read a file that pages are made of.

    Parameters
    ----------
    name
        Its name.

    Returns
    -------
    str
    """
    return (files(__package__) / "page" / name).read_text(encoding="utf-8")


def hash_of(text: str) -> str:
    """Hash a style or a script, as the security policy of a page names it.

    Parameters
    ----------
    text
        The text.

    Returns
    -------
    str
    """
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def columns_to_show(data: dict[str, Any]) -> list[int]:
    """Choose the columns of the candidate table to show: those that matter most, in order.

    Parameters
    ----------
    data
        A report.

    Returns
    -------
    list of int
        Positions of columns.
    """
    columns = data["candidates"]["columns"]
    if len(columns) <= SHOWN_COLUMNS:
        return list(range(len(columns)))
    matter = [item["name"] for item in data["importance"]["attributes"][:SHOWN_COLUMNS]]
    return [position for position, name in enumerate(columns) if name in matter]


def _level(dependence: dict[str, Any] | None) -> Callable[[float | None], int]:
    """Make a function that turns mutual information into one of ten shades."""
    values = [
        value
        for name in ("positive", "negative")
        for row in (dependence or {}).get(name, ())
        for value in row
        if value is not None
    ]
    top = max(values, default=0) or 1
    return lambda value: 0 if value is None else min(9, int(10 * value / top))
