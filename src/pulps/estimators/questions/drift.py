"""Whether new rows are like those of the fit: column by column, and by score.

Every column has a distance from 0 to 1: of numbers and scores the largest difference of two
cumulative distributions (Kolmogorov and Smirnov), of categories half the sum of all differences of
shares, and of missing cells the difference of their shares. A column has drifted if its distance
is large *and* chance does not explain it: with many rows every difference is significant, with few
every distance is large.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats
from scipy.special import kolmogorov
from sklearn.utils.validation import check_is_fitted

from pulps.estimators.questions.training_summary import TrainingSummary, share_at_or_below
from pulps.io.shares import percent
from pulps.tables.columns import CategoricalColumn, Column

SCORE = "(score)"
LIMIT, LEVEL = 0.15, 0.01


@dataclass(frozen=True, repr=False)
class DriftReport:
    """How far new rows are from those of the fit.

    Parameters
    ----------
    table : pandas.DataFrame
        One row for the score and one per column, the most distant first: ``kind``, ``distance``,
        ``p_value``, ``missing_before``, ``missing_now``, ``new_values`` (share of cells with a
        category or a number outside of what the fit saw) and ``drifted``.
    n_rows : int
        Number of new rows.
    called_before, called_now : float
        Share of the rows called positive at fit and now.
    limit : float
        Distance above which a drift counts.
    """

    table: pd.DataFrame
    n_rows: int
    called_before: float
    called_now: float
    limit: float

    @property
    def drifted(self) -> list[str]:
        """Columns that have drifted, and the score if it has."""
        return self.table.index[self.table["drifted"]].tolist()

    @property
    def alarm(self) -> bool:
        """Whether anything has drifted."""
        return bool(self.table["drifted"].any())

    def __repr__(self) -> str:
        """Say what has drifted, and how far."""
        called = (
            f"called positive: {percent(self.called_now)} of the rows, "
            f"{percent(self.called_before)} at fit"
        )
        if not self.alarm:
            return (
                f"No drift in {self.n_rows:,} rows: no distance above {self.limit:g} that chance "
                f"does not explain.\n{called}"
            )
        rows = self.table[self.table["drifted"]]
        lines = [f"Drift in {self.n_rows:,} rows:"]
        for name, row in rows.iterrows():
            line = f"  {name}: distance {row['distance']:.2f}"
            if row["missing_now"] - row["missing_before"] > self.limit:
                line += f", {row['missing_now']:.0%} missing, {row['missing_before']:.0%} at fit"
            if row["new_values"] > 0:
                line += f", {percent(row['new_values'])} of the cells outside of what the fit saw"
            lines.append(line)
        return "\n".join([*lines, called])

    def _repr_html_(self) -> str:
        return self.table.to_html(float_format="{:.3f}".format)


def check_drift(model: Any, X: Any, *, limit: float = LIMIT, level: float = LEVEL) -> DriftReport:
    """Tell whether new rows are like those a model was fitted on.

    Parameters
    ----------
    model : PUClassifier or LPSClassifier
        A fitted model of tables.
    X : table or array
        New rows, of the same kind as in ``fit``; a sample of the population.
    limit : float, default=0.15
        Distance above which a drift counts, from 0 to 1.
    level : float, default=0.01
        Chance of a false alarm where nothing has changed, over all columns together.

    Returns
    -------
    DriftReport
        ``alarm`` says whether anything has drifted, ``drifted`` what, ``table`` how far.
    """
    check_is_fitted(model)
    summary: TrainingSummary | None = getattr(model, "training_summary_", None)
    if summary is None:
        raise ValueError(
            f"This {type(model).__name__} does not remember its training rows: it was fitted by "
            "an earlier version, or is no model of tables. Fit it again."
        )
    for name, share in (("limit", limit), ("level", level)):
        if not 0 < share < 1:
            raise ValueError(f"{name} is {share}; it must lie between 0 and 1.")
    checked = model.check_columns(X)
    values = model.encoder_.transform(checked)
    series = model.encoder_.series_of(checked)
    decision = model.decision_of_encoded(values)
    threshold = model.threshold_report_.threshold
    distance, p_value = _numbers_apart(
        summary.score_places, summary.score_below, summary.n_rows, decision + threshold
    )
    rows = [_row(SCORE, "score", distance, p_value)]
    for position, column in enumerate(model.encoder_.columns_):
        cells = values[:, position]
        unseen = column.unknown(series[column.index], cells)
        found = _column_apart(column, cells, unseen, summary, position)
        before, now = float(summary.missing[position]), float((np.isnan(cells) & ~unseen).mean())
        rows.append(_row(str(column.name), *found, before, now, float(unseen.mean())))
    table = pd.DataFrame(rows).set_index("column")
    surely = table["p_value"] < level / (2 * len(table))  # columns have two tests each
    table["drifted"] = surely & (table["distance"] > limit)
    order = np.lexsort((-table["distance"], ~table["drifted"]))
    above = summary.score_below[summary.score_places <= threshold]
    called_before = 1 - float(above[-1]) if len(above) else 1.0
    now_positive = float((decision > 0).mean())
    return DriftReport(table.iloc[order], len(values), called_before, now_positive, limit)


def _row(
    name: Any,
    kind: str,
    distance: float,
    p_value: float,
    before: float = 0.0,
    now: float = 0.0,
    unseen: float = 0.0,
) -> dict[str, Any]:
    return {
        "column": name,
        "kind": kind,
        "distance": float(distance),
        "p_value": float(p_value),
        "missing_before": before,
        "missing_now": now,
        "new_values": unseen,
    }


def _column_apart(
    column: Column,
    cells: np.ndarray,
    unseen: np.ndarray,
    summary: TrainingSummary,
    position: int,
) -> tuple[str, float, float]:
    """Kind of a column; the larger distance, of its values or its holes, and the smaller p."""
    before, n_before = float(summary.missing[position]), summary.n_rows
    hole = np.isnan(cells) & ~unseen
    holes = _shares_apart(before, float(hole.mean()), n_before, len(cells))
    known = cells[~hole]
    n_known = n_before * (1 - before)
    if isinstance(column, CategoricalColumn):
        kind, found = "category", _categories_apart(column, known, n_known)
    else:
        kind = "number"
        found = _numbers_apart(summary.places[position], summary.below[position], n_known, known)
    worst = max((holes, found), key=lambda pair: pair[0])
    return kind, *worst


def _numbers_apart(
    places: np.ndarray, below: np.ndarray, n_before: float, numbers: np.ndarray
) -> tuple[float, float]:
    if not len(numbers) or n_before < 1:
        return 0.0, 1.0
    gap = np.abs(share_at_or_below(numbers, places) - below)
    beyond = float((numbers < places[0]).mean())  # rows below the least of the fit
    distance = max(float(gap.max()), beyond)
    size = n_before * len(numbers) / (n_before + len(numbers))
    return distance, float(kolmogorov(np.sqrt(size) * distance))


def _categories_apart(
    column: CategoricalColumn, codes: np.ndarray, n_before: float
) -> tuple[float, float]:
    if not len(codes) or n_before < 1:
        return 0.0, 1.0
    new = np.isnan(codes)
    counts = np.bincount(codes[~new].astype(int), minlength=column.n_values)
    now = np.append(counts, new.sum())
    before = np.append(column.frequencies * n_before, 0.0)
    distance = float(np.abs(now / now.sum() - before / before.sum()).sum() / 2)
    both = np.array([before, now])[:, before + now > 0]
    if both.shape[1] < 2:
        return distance, 1.0
    return distance, float(stats.chi2_contingency(both, correction=False).pvalue)


def _shares_apart(before: float, now: float, n_before: float, n_now: int) -> tuple[float, float]:
    pooled = (before * n_before + now * n_now) / (n_before + n_now)
    if pooled in (0.0, 1.0):
        return 0.0, 1.0
    error = np.sqrt(pooled * (1 - pooled) * (1 / n_before + 1 / n_now))
    return abs(now - before), float(2 * stats.norm.sf(abs(now - before) / error))
