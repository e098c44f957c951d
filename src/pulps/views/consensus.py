"""How views become a consensus, and the honest scores of training rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from scipy.special import ndtr

from pulps.io.threads import threads_for
from pulps.labels import labeled_to_keep
from pulps.priors.three_way import three_shares
from pulps.tables.columns import Column
from pulps.tables.distinct import groups_of_equal
from pulps.tables.matrix import MatrixForm
from pulps.views.catalog import DEFAULT_VIEWS as DEFAULT_VIEWS
from pulps.views.catalog import VIEWS, View
from pulps.views.gaps import find_gaps
from pulps.views.opinions import Consensus, Opinion
from pulps.views.rows import Labels, Rows
from pulps.views.scale import NormalScale
from pulps.views.weighing import weigh_views

MOST_FOLDS = 5
FEWEST_ROWS = 8
MOST_ROWS = 20_000
DIGITS = 9  # of a share of positives
MANY = 10  # equal rows: one label more or less among them changes little


def fit_consensus(
    values: np.ndarray,
    columns: Sequence[Column],
    labeled: np.ndarray,
    weights: np.ndarray,
    rng: np.random.RandomState,
    *,
    views: Sequence[View] | None = None,
    n_jobs: int | None = None,
    on_view: Callable[[], object] = lambda: None,
) -> tuple[np.ndarray, Consensus]:
    """Fit views, put them on one scale, weigh and average them.

    Parameters
    ----------
    values
        Encoded rows, NaN where missing. Of more than 20,000, views learn from that many.
    columns
        What the columns are.
    labeled
        Which rows are labeled.
    weights
        Weight of each row: one that weighs two is two rows.
    rng
        Source of folds and of the randomness of views.
    views
        The views; None takes those of :data:`pulps.views.catalog.DEFAULT_VIEWS`.
    n_jobs
        Threads; None takes one.
    on_view
        Called after every view.

    Returns
    -------
    honest, consensus
        Scores of these rows by models that did not see them, on the scale of
        :meth:`Consensus.score`, and the consensus.
    """
    views = [VIEWS[name] for name in DEFAULT_VIEWS] if views is None else views
    form = MatrixForm.of(values, columns, weights)
    copies = _copies(labeled, weights, rng)
    rows = Rows.of(values[copies], form)
    n_copies = np.ceil(weights)
    known = labeled[copies]
    if len(known) < FEWEST_ROWS:
        raise ValueError(
            f"There are {len(known)} rows, {int(known.sum())} of them labeled: too few to learn "
            f"from some and to test on others. Bring at least {FEWEST_ROWS} rows."
        )
    labels = Labels(known, (weights / n_copies)[copies], _folds(known, rng))
    seeds = [rng.randint(np.iinfo(np.int32).max, size=2) for _ in views]
    n_cells = len(copies) * values.shape[1]

    def fit(number: int, **more: float) -> Any:
        with threads_for("views", n_cells, shared=False):  # of a thread of its own
            return views[number].fit(rows, labels, np.random.RandomState(seeds[number]), **more)

    def fit_all(numbers: list[int], **more: float) -> None:
        jobs = Parallel(n_jobs, require="sharedmem", return_as="generator")
        found = jobs(delayed(fit)(number, **more) for number in numbers)
        for number, (honest, model) in zip(numbers, found, strict=True):
            on_view()
            scale = NormalScale.of(honest[~known], labels.weights[~known])
            fitted[number] = model, scale, scale(honest), _standard(honest, labels)

    fitted: dict[int, tuple[Any, ...]] = {}
    fit_all([number for number, view in enumerate(views) if not view.needs_prior])
    late = [number for number, view in enumerate(views) if view.needs_prior]
    if late:
        share = _first_prior(fitted, labels)
        fit_all(late, prior_of_unlabeled=share)
    order = range(len(views))
    normal = np.stack([fitted[number][2] for number in order])
    voices = np.array([view.voices for view in views])
    counts, areas = weigh_views(ndtr(normal[:, known]), labels.weights[known], voices)
    mean_score = counts @ normal
    mean = np.average(mean_score[~known], weights=labels.weights[~known])
    variance = np.average((mean_score[~known] - mean) ** 2, weights=labels.weights[~known])
    opinions = [
        Opinion(views[n].name, fitted[n][0], fitted[n][1], float(counts[n]), float(areas[n]))
        for n in order
    ]
    # A risk drives rows apart by itself, so its gaps tell nothing.
    calm = np.array([not view.needs_prior for view in views]) * counts
    calm = calm if calm.any() else counts
    plain = calm @ np.stack([fitted[number][3] for number in order])
    gaps = find_gaps(plain, known, labels.weights)
    consensus = Consensus(form, opinions, float(mean), float(np.sqrt(variance)) or 1.0, gaps)
    honest = np.full(len(values), np.nan)
    seen = np.bincount(copies, minlength=len(values)) > 0
    total = np.bincount(copies, (mean_score - mean) / consensus.deviation, len(values))
    honest[seen] = total[seen] / np.bincount(copies, minlength=len(values))[seen]
    if not seen.all():
        honest[~seen] = consensus.score(values[~seen])
    return _alike(honest, values, weights), consensus


def _alike(scores: np.ndarray, values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Give many equal rows one score: their models differ by fold, and new rows get the mean."""
    first, group = groups_of_equal(values)
    if len(first) == len(values):
        return scores
    mass = np.bincount(group, weights)
    means = np.bincount(group, weights * scores) / mass
    return np.where(mass[group] >= MANY, means[group], scores)


def _copies(labeled: np.ndarray, weights: np.ndarray, rng: np.random.RandomState) -> np.ndarray:
    """Row numbers, as often as a row weighs, and not more than views learn from."""
    copies = np.repeat(np.arange(len(labeled)), np.ceil(weights).astype(int))
    if len(copies) <= MOST_ROWS:
        return copies
    known = labeled[copies]
    n_known = labeled_to_keep(known, MOST_ROWS)
    chosen = [
        rng.choice(copies[kind], size, replace=False)
        for kind, size in ((known, n_known), (~known, MOST_ROWS - n_known))
    ]
    return np.sort(np.concatenate(chosen))


def _folds(labeled: np.ndarray, rng: np.random.RandomState) -> np.ndarray:
    """Deal rows of either kind into folds; -1 for a kind of which there is one row only."""
    counts = int(labeled.sum()), int((~labeled).sum())
    n_folds = max(2, min(MOST_FOLDS, *counts))
    folds = np.full(len(labeled), -1)
    for kind, count in zip((labeled, ~labeled), counts, strict=True):
        if count > 1:
            folds[rng.permutation(np.flatnonzero(kind))] = np.arange(count) % n_folds
    return folds


def _first_prior(fitted: dict[int, tuple[Any, ...]], labels: Labels) -> float:
    """Share of positives among the unlabeled rows by the views that need no prior."""
    if not fitted:
        return 0.5
    normal = np.stack([one[2] for one in fitted.values()])
    mean = normal.mean(axis=0)
    share = three_shares(mean[labels.labeled], mean[~labels.labeled]).mean()
    # Not to the last bit, which depends on the number of threads: trees would split elsewhere.
    return round(float(share), DIGITS)


def _standard(scores: np.ndarray, labels: Labels) -> np.ndarray:
    """Scores in units of their deviation over the unlabeled rows."""
    unlabeled, weights = scores[~labels.labeled], labels.weights[~labels.labeled]
    mean = np.average(unlabeled, weights=weights)
    deviation = np.sqrt(np.average((unlabeled - mean) ** 2, weights=weights))
    return (scores - mean) / (deviation or 1.0)
