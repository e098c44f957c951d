"""The report: what was learned, first as a plain dict, then as one HTML page.

Read in this order: :mod:`learned` collects everything into a dict, with :mod:`views`,
:mod:`candidates`, :mod:`cuts`, :mod:`curves`, :mod:`importance`, :mod:`attributes`,
:mod:`networks`, :mod:`plain_method` and :mod:`warnings`; :mod:`answer` says it in words;
:mod:`charts` and :mod:`cut_charts` turn numbers into shapes; :mod:`render` fills the page. The
page is a single file that opens offline, and nothing in a table can become markup or script in it.
Several classes and images have pages of their own: :mod:`classes` and :mod:`images` collect, with
:mod:`class_facts` and :mod:`pictures`; :mod:`class_page` fills.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from pulps.io.outputs import write_whole
from pulps.report.class_page import render_classes, render_images
from pulps.report.classes import collect_classes
from pulps.report.images import collect_images
from pulps.report.learned import collect
from pulps.report.progress import Tell, silent
from pulps.report.render import render

__all__ = ["Report", "make_report"]

ROWS, ROWS_OF_CLASS = 200, 20  # that are listed
PAGES = {"classes": render_classes, "images": render_images}  # by kind; the rest is of one page


@dataclass(frozen=True, repr=False)
class Report:
    """A report on a fitted model.

    Parameters
    ----------
    data
        What it says: strings, numbers, lists, dicts and None only.
    """

    data: dict[str, Any]

    def __repr__(self) -> str:
        """Say in a few lines what the page says first."""
        told = self.data["answer"]
        lines = [f"Report {self.data['title']!r}", told["how_many"], told["how_sure"]]
        return "\n".join([*lines, "Write the page with .save('report.html')."])

    def html(self) -> str:
        """Write the report as a page.

        Returns
        -------
        str
            The page, complete in itself.
        """
        return PAGES.get(self.data["kind"], render)(self.data)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file, whole or not at all.

        Parameters
        ----------
        path : path
            The file.
        """
        write_whole(path, self.html())

    def _repr_html_(self) -> str:
        page = escape(self.html(), quote=True)
        return f'<iframe srcdoc="{page}" style="width:100%;height:40rem;border:0"></iframe>'


def make_report(
    model: Any,
    X: Any,
    y: Any = None,
    *,
    ids: Any = None,
    title: str = "Report",
    n_rows: int | None = None,
    random_state: int | np.random.RandomState | None = 0,
    tell: Tell = silent,
) -> Report:
    """Report on a model and on rows of a table, or images.

    Parameters
    ----------
    model : PUClassifier, LPSClassifier, LPSSemiSupervisedClassifier or their image siblings
        A fitted model.
    X, y, ids, title, n_rows, random_state
        As in its ``report``.
    tell
        Called with the share that is done and what is done next, for whoever waits.

    Returns
    -------
    Report
        Save it, or show it in a notebook.
    """
    collect_what = collect
    if hasattr(model, "image_shape_"):
        collect_what = collect_images
    elif hasattr(model, "class_scale_"):
        collect_what = collect_classes
    if n_rows is None:
        n_rows = ROWS if collect_what is collect else ROWS_OF_CLASS
    return Report(
        collect_what(
            model,
            X,
            y,
            ids=ids,
            title=title,
            n_rows=n_rows,
            random_state=random_state,
            tell=tell,
        )
    )
