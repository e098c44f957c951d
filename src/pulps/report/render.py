"""The page: one template, filled with escaped text, allowed to run one script: its own.

Everything from the table goes through Jinja's escaping. Beyond that, the page's content
security policy names the hash of the one script that belongs to it, so markup that got in
all the same could run nothing and load nothing.
"""

from __future__ import annotations

import base64
import hashlib
from importlib.metadata import version
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from pulps.io.formulas import harmless_csv
from pulps.report.candidates import as_table
from pulps.report.charts import curve_chart, distribution_chart, score_chart

SHOWN_COLUMNS = 10
TERMS = {
    "labeled": "labeled rows in place",
    "positive": "rows called positive in place",
    "negative": "rows called negative in place",
    "norm": "tight networks",
    "balance": "both classes alive",
}


def render(data: dict) -> str:
    """Fill the page with a report's data."""
    environment = Environment(
        loader=PackageLoader("pulps.report", "page"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    script, style = _own("report.js"), _own("report.css")
    csv = harmless_csv(as_table(data["candidates"]))
    largest = max((item["size"] for item in data["importance"]["attributes"]), default=0) or 1
    return environment.get_template("report.html").render(
        data=data,
        version=version("pulps"),
        style=Markup(style),
        script=Markup(script),
        script_hash=_hash(script),
        style_hash=_hash(style),
        csv=base64.b64encode(b"\xef\xbb\xbf" + csv.encode()).decode(),
        shown=_shown(data),
        score_chart=score_chart(data["scores"]),
        attribute_charts=[distribution_chart(item) for item in data["attributes"]],
        loss_chart=curve_chart(data["training"]["terms"], [f"term{i}" for i in range(5)]),
        terms=list(TERMS.values()),
        largest=largest,
        level=_level(data["dependence"]),
        signed=lambda value: "–" if value is None else f"{value:+.2f}".replace("-", "−"),
        percent=lambda value: "unknown" if value is None else f"{100 * value:.0f} %",
    )


def _own(name: str) -> str:
    return (files(__package__) / "page" / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _shown(data: dict) -> list[int]:
    """Columns of the candidate table that are shown: those that matter most, in their order."""
    columns = data["candidates"]["columns"]
    if len(columns) <= SHOWN_COLUMNS:
        return list(range(len(columns)))
    matter = [item["name"] for item in data["importance"]["attributes"][:SHOWN_COLUMNS]]
    return [position for position, name in enumerate(columns) if name in matter]


def _level(dependence: dict):
    """Make a function that turns mutual information into one of ten shades."""
    values = [
        value
        for side in ("positive", "negative")
        for row in dependence[side]
        for value in row
        if value is not None
    ]
    top = max(values, default=0) or 1
    return lambda value: 0 if value is None else min(9, int(10 * value / top))
