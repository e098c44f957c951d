"""Methods are judged by honest scores, on the same resamples of the rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils import check_random_state

from pulps.comparison.contenders import make_contenders
from pulps.comparison.cross_fitting import CrossFitted, cross_fit, take_rows
from pulps.comparison.result import Comparison
from pulps.io.calls import warn_caller
from pulps.io.randomness import new_seed
from pulps.labels import labeled_to_keep, read_target, share_among_unlabeled, shares_of
from pulps.metrics import PUStratifiedKFold, pu_f1_score
from pulps.metrics.bootstrap import bounds
from pulps.metrics.cumulative import CumulativeRows, resamples
from pulps.metrics.rows import Scenario
from pulps.priors import three_way
from pulps.tables.reading import is_table, read_columns, to_pandas

MOST_SHARE = 0.95  # of positives among unlabeled rows; beyond it no area can be told
LEVEL = 0.9


class MethodFailedWarning(UserWarning):
    """A method could not be fitted, and is left out of a comparison."""


def compare(
    X: Any,
    y: Any,
    *,
    methods: Sequence[str | tuple[str, Any]] | None = None,
    prior: float | None = None,
    scenario: Scenario = "single-training-set",
    pos_label: Any = None,
    cv: int = 5,
    n_resamples: int = 500,
    max_rows: int = 10_000,
    random_state: Any = 0,
    tell: Callable[[str], object] = lambda name: None,
) -> Comparison:
    """Compare methods on a table, and tell which one to take and how sure that is.

    Every method scores each row by a model that was fitted without it. The area under the ROC
    curve is estimated from these scores and the labels. Its intervals, and the chance of a method
    to be best, come from resamples of the rows, the same for all methods; they do not include how
    much another fit would change.

    Parameters
    ----------
    X : table or array of shape (rows, columns)
        pandas, polars or pyarrow table, or a numeric array.
    y : array of shape (rows,)
        1 (or ``pos_label``) for a labeled positive, 0 or −1 for an unlabeled row.
    methods : sequence, default=None
        Names of :data:`pulps.comparison.CONTENDERS`, or pairs of a name and a classifier of
        scikit-learn. None takes a naive forest, Elkan–Noto, PU bagging, spies, nnPU and
        ``PUClassifier``.
    prior : float, default=None
        Share of positives in the population. None takes the estimate from the scores of the
        best method; the order of the methods does not depend on it.
    scenario : {"single-training-set", "case-control"}, default="single-training-set"
        How the rows were drawn.
    pos_label : object, default=None
        The value of ``y`` that marks a labeled positive; by default the larger number.
    cv : int, default=5
        Number of folds; no more than there are labeled rows.
    n_resamples : int, default=500
        Number of resamples.
    max_rows : int, default=10_000
        Of more rows, that many are compared: labeled ones first, up to half of them.
    random_state : int, RandomState or None, default=0
        Seed of folds, methods and resamples.
    tell : callable, default=None
        Called with the name of every method before it is fitted.

    Returns
    -------
    Comparison
        ``table``, ``best``, ``advice``; ``plot()`` draws it.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from pulps.datasets import make_toy
    >>> X, y, _ = make_toy("blobs", n_rows=120, n_labeled=30, random_state=0)
    >>> two = [("logistic", LogisticRegression()), ("lazy", LogisticRegression(C=1e-9))]
    >>> found = compare(X, y, methods=two, cv=2, n_resamples=50)
    >>> found.table.shape, found.best in ("logistic", "lazy")
    ((2, 14), True)
    """
    if cv < 2:
        raise ValueError(
            f"cv is {cv}; a row is judged by models of other folds, so pass 2 or more."
        )
    if prior is not None and not 0 < prior < 1:
        raise ValueError(f"prior is {prior}; the share of positives must lie between 0 and 1.")
    X = _rows_to_take(X)
    target = read_target(y, pos_label, n_rows=len(X), caller="compare")
    if prior is not None:
        share_among_unlabeled(prior, target.labeled, scenario)  # refuses what cannot be
    rng = check_random_state(random_state)
    contenders = make_contenders(methods, scenario, new_seed(rng))
    X, labeled = _some(X, target.labeled, max_rows, rng)
    n_folds = min(cv, int(labeled.sum()), int((~labeled).sum()))
    if n_folds < 2:
        raise ValueError(
            f"y has {int(labeled.sum())} labeled and {int((~labeled).sum())} unlabeled rows; a "
            "comparison needs two of each at least, and more to tell methods apart. Label more."
        )
    folds = PUStratifiedKFold(n_folds, random_state=new_seed(rng))
    found: dict[str, CrossFitted] = {}
    for name, model in contenders.items():
        tell(name)
        try:
            found[name] = cross_fit(model, X, labeled, folds)
        except Exception as error:
            warn_caller(f"{name} is left out: {error}", MethodFailedWarning)
    if len(found) < 2:
        raise ValueError(
            f"{len(found)} of {len(contenders)} methods could be fitted, so there is nothing to "
            "compare. The warnings say why."
        )
    return _judged(found, labeled, prior, scenario, n_resamples, rng)


def _rows_to_take(X: Any) -> Any:
    """Turn a table into one whose rows can be taken by number."""
    if is_table(X):
        return X if isinstance(X, pd.DataFrame) else to_pandas(X, read_columns(X)[0])
    return np.asarray(X)


def _some(
    X: Any, labeled: np.ndarray, most: int, rng: np.random.RandomState
) -> tuple[Any, np.ndarray]:
    if len(labeled) <= most:
        return X, labeled
    n_known = labeled_to_keep(labeled, most)
    rows = np.sort(
        np.concatenate(
            [
                rng.choice(np.flatnonzero(kind), size, replace=False)
                for kind, size in ((labeled, n_known), (~labeled, most - n_known))
            ]
        )
    )
    return take_rows(X, rows), labeled[rows]


def _judged(
    found: dict[str, CrossFitted],
    labeled: np.ndarray,
    prior: float | None,
    scenario: Scenario,
    n_resamples: int,
    rng: np.random.RandomState,
) -> Comparison:
    y, names = labeled.astype(int), list(found)
    sorted_rows = [CumulativeRows(y, one.ranks) for one in found.values()]
    areas = np.array([rows.counted().area for rows in sorted_rows])
    drawn = np.array(
        [
            [rows.counted(times).area for rows in sorted_rows]
            for times in resamples(labeled, n_resamples, rng)
        ]
    )
    best = int(areas.argmax())
    counts = {"n_labeled": int(labeled.sum()), "n_unlabeled": int((~labeled).sum())}
    seed = new_seed(rng)
    shares = [
        three_way(one.normal[labeled], one.normal[~labeled], random_state=seed)
        for one in found.values()
    ]
    share, interval = shares[best].prior_of_unlabeled, shares[best].interval
    if prior is not None:
        share = share_among_unlabeled(prior, labeled, scenario)
        interval = share, share
    share = float(np.clip(share, 0.0, MOST_SHARE))

    def in_population(among_unlabeled: float) -> float:
        return float(shares_of(among_unlabeled, scenario=scenario, **counts).prior)

    def corrected(area: Any) -> Any:
        return np.clip((area - share / 2) / (1 - share), 0, 1)

    population = float(np.clip(in_population(share), 1e-6, 1 - 1e-6))
    winners = drawn == drawn.max(axis=1, keepdims=True)
    chances = (winners / winners.sum(axis=1, keepdims=True)).mean(axis=0)
    table = []
    for number, (one, estimate) in enumerate(zip(found.values(), shares, strict=True)):
        low, high = map(in_population, estimate.interval)
        behind = (drawn[:, best] - drawn[:, number]) / (1 - share)
        low_area, high_area = bounds(corrected(drawn[:, number]), LEVEL)
        low_gap, high_gap = bounds(behind, LEVEL)
        table.append(
            {
                "auc": float(corrected(areas[number])),
                "auc_low": low_area,
                "auc_high": high_area,
                "labeled_auc": float(areas[number]),
                "behind": float((areas[best] - areas[number]) / (1 - share)),
                "behind_low": low_gap,
                "behind_high": high_gap,
                "chance_best": float(chances[number]),
                "f1": pu_f1_score(
                    y, one.positive.astype(int), prior=population, scenario=scenario
                ),
                "called_positive": float(one.positive[~labeled].mean()),
                "prior": float(
                    shares_of(estimate.prior_of_unlabeled, scenario=scenario, **counts).prior
                ),
                "prior_low": float(low),
                "prior_high": float(high),
                "seconds": one.seconds,
            }
        )
    frame = pd.DataFrame(table, index=pd.Index(names, name="method"))
    order = frame.sort_values("labeled_auc", ascending=False, kind="stable").index
    ranks = {name: found[name].ranks for name in order}
    return Comparison(frame.loc[order], population, share, interval, ranks, labeled)
