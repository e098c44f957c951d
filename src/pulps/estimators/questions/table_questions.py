"""What a model of tables can be asked, and is answered in the same way by all of them."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from sklearn.utils.validation import check_is_fitted

from pulps.estimators.answers import Answers
from pulps.estimators.questions.explanation import Explanation, explain_rows
from pulps.estimators.questions.importances import column_importances
from pulps.estimators.questions.reports import Reports
from pulps.estimators.questions.suggestion import suggest_rows
from pulps.io.randomness import Seed
from pulps.tables.checking import check_columns


class TableQuestions(Reports, Answers):
    """Which rows to look at next, why a row got its answer, and what was learned."""

    def check_columns(self, X: Any, *, reset: bool = False) -> Any:
        """Check names and number of columns.

        Parameters
        ----------
        X : table or array
            Rows.
        reset : bool, default=False
            Whether these are the columns of a fit, to be remembered.

        Returns
        -------
        table or array
            Arrays become numeric, tables stay as they are.
        """
        return check_columns(self, X, reset=reset)

    def suggest(
        self,
        X: Any,
        n: int = 10,
        *,
        how: Literal["diverse", "uncertain", "likely"] = "diverse",
        y: Any = None,
    ) -> np.ndarray:
        """Name the rows to look at next.

        Parameters
        ----------
        X : table or array
            Rows of the same kind as in ``fit``.
        n : int, default=10
            How many rows.
        how : {"diverse", "uncertain", "likely"}, default="diverse"
            Rows that could be positive and are unlike each other and all that are known, whose
            answers teach most; those nearest to the cut; or those most likely positive.
        y : array of shape (rows,), default=None
            What is known of the rows. Only rows with the label of unlabeled ones, or without a
            label, are named; None takes all of them.

        Returns
        -------
        array of int
            Numbers of the rows, from 0, the most wanted first.
        """
        return suggest_rows(self, X, n, how, y)

    def explain(
        self, X: Any, *, orders: int | Literal["auto", "all"] = "auto", random_state: Seed = 0
    ) -> Explanation:
        """Tell what each attribute adds to the decision on each row: Shapley values.

        The decision is asked again with only some attributes known. A network traces all others
        out, exactly; the views of a consensus take them for missing cells. What the attributes
        add, and the decision if nothing is known, sum to the decision
        (:mod:`pulps.estimators.questions.explanation`).

        Parameters
        ----------
        X : table or array
            Rows of the same kind as in ``fit``. Each costs about a thousand scorings.
        orders : "auto", "all" or int, default="auto"
            In how many orders attributes become known; half of them are the others reversed.
            ``"all"`` is exact, for up to 16 attributes; ``"auto"`` is exact up to ten, and else
            takes a sample that costs as much.
        random_state : int, RandomState or None, default=0
            Seed of the sample. A row's explanation does not depend on the rows beside it.

        Returns
        -------
        Explanation
            ``values``, ``base`` and ``decision``; ``row(0)`` is a table about one row.
        """
        check_is_fitted(self)
        return explain_rows(self, X, orders, random_state)

    @property
    def feature_importances_(self) -> np.ndarray:
        """Share of each column in how much the decision changes if one becomes unknown.

        By rows made up from the distributions of the fit
        (:mod:`pulps.estimators.questions.importances`); computed when it is asked for.
        ``explain`` tells of rows of yours.
        """
        check_is_fitted(self)
        if not hasattr(self, "training_summary_"):
            raise AttributeError(
                "This model was saved by a version that did not remember the distributions of "
                "its rows, so feature_importances_ is not known. Fit it again, or call explain(X)."
            )
        return column_importances(self)
