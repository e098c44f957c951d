"""The report of a fitted model, of tables or images, however many classes it has."""

from __future__ import annotations

from typing import Any

from sklearn.utils.validation import check_is_fitted

from pulps.io.randomness import Seed
from pulps.report import Report, make_report
from pulps.report.progress import on_terminal


class Reports:
    """A model that tells what it learned."""

    def report(
        self,
        X: Any,
        y: Any = None,
        *,
        ids: Any = None,
        title: str = "Report",
        n_rows: int | None = None,
        random_state: Seed = 0,
    ) -> Report:
        """Tell what was learned, and which unlabeled rows are most likely of a class.

        Parameters
        ----------
        X : table, or array of rows or images
            Of the same kind as in ``fit``.
        y : array of shape (rows,), default=None
            Labels, as in ``fit``. None takes every row for unlabeled.
        ids : array of shape (rows,), default=None
            What you call the rows, such as a customer number; None takes the index of a pandas
            table, if it has a name, or the files of an ``ImageFolder``, or counts rows from 1.
        title : str, default="Report"
            Heading of the page.
        n_rows : int, default=None
            Unlabeled rows to list; None lists 200, or of several classes or images 20 of each
            class.
        random_state : int, RandomState or None, default=0
            Source of the examples that a network draws.

        Returns
        -------
        pulps.report.Report
            ``.data`` is a plain dict, ``.html()`` one page, ``.save("report.html")`` writes it.
            What needs a network is there if the model has one; none is trained for a report.
        """
        check_is_fitted(self)
        with on_terminal() as tell:
            return make_report(
                self,
                X,
                y,
                ids=ids,
                title=title,
                n_rows=n_rows,
                random_state=random_state,
                tell=tell,
            )
