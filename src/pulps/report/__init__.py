"""The report: what was learned, first as a plain dict, then as one HTML page.

Read in this order: :mod:`learned` collects everything into a dict, with :mod:`views`,
:mod:`candidates`, :mod:`importance`, :mod:`attributes`, :mod:`networks` and :mod:`warnings`;
:mod:`charts` turns numbers into shapes; :mod:`render` fills the page. The page is a single file
that opens offline, and nothing in a table can become markup or script in it.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from pulps.io.outputs import replacing
from pulps.report.learned import collect
from pulps.report.render import render

__all__ = ["Report", "make_report"]


@dataclass(frozen=True)
class Report:
    """A report on a fitted model.

    Parameters
    ----------
    data
        What it says: strings, numbers, lists, dicts and None only.
    """

    data: dict

    def html(self) -> str:
        """Write the report as a page.

        Returns
        -------
        str
            The page, complete in itself.
        """
        return render(self.data)

    def save(self, path) -> None:
        """Write the page to a file, whole or not at all.

        Parameters
        ----------
        path : path
            The file.
        """
        page = self.html()
        with replacing(path) as file:
            file.write_text(page, encoding="utf-8")

    def _repr_html_(self) -> str:
        page = escape(self.html(), quote=True)
        return f'<iframe srcdoc="{page}" style="width:100%;height:40rem;border:0"></iframe>'


def make_report(model, X, y=None, *, title="Report", n_rows=200, random_state=0) -> Report:
    """Report on a model and the rows of a table.

    Parameters
    ----------
    model : PUClassifier or LPSClassifier
        A fitted model.
    X, y, title, n_rows, random_state
        As in ``PUClassifier.report``.

    Returns
    -------
    Report
        Save it, or show it in a notebook.
    """
    return Report(collect(model, X, y, title=title, n_rows=n_rows, random_state=random_state))
