"""The consensus of the views of several classes: probabilities of any row, honest ones of labels.

Every view is asked about labeled rows that were held out from it, by class in five parts. These
answers set how sure it may be (a temperature), and how much it counts: weights make held-out
labels likely, and stay with a forest of the labels alone where these do not tell. Unlabeled rows
are honestly scored anyway: no view knows their class. If the labels are a random sample, the
unlabeled rows have about their shares of classes; what is said of them is moved half-way there.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from pulps.tables.columns import Column
from pulps.tables.matrix import MatrixForm
from pulps.views.classes.fitting import CLASS_VIEWS, ClassView, Known
from pulps.views.classes.opinions import ClassConsensus, ClassOpinion
from pulps.views.classes.sureness import moved, sharpened
from pulps.views.classes.weighing import find_offsets, find_temperature, weigh_classes

N_FOLDS = 5
MOST_ROWS = 20_000


def fit_class_consensus(
    values: np.ndarray,
    columns: Sequence[Column],
    classes: np.ndarray,
    n_classes: int,
    weights: np.ndarray,
    rng: np.random.RandomState,
    *,
    views: Sequence[ClassView] = CLASS_VIEWS,
    balanced: bool = True,
    on_view: Callable[[], object] = lambda: None,
) -> tuple[np.ndarray, np.ndarray, ClassConsensus]:
    """Fit views, ask them about held-out labels, weigh and average them.

    Parameters
    ----------
    values
        Encoded rows, NaN where missing: an array, or a file of rows.
    columns
        What the columns are.
    classes
        Class of each labeled row, from 0; -1 for an unlabeled one.
    n_classes
        Number of classes; each should have a label.
    weights
        Weight of each row: one that weighs two is two rows.
    rng
        Source of folds and of the randomness of views.
    views
        The views, the one to fall back to first.
    balanced
        Whether the unlabeled rows have about the classes that the labels have.
    on_view
        Called after every view.

    Returns
    -------
    honest, asked, consensus
        Probabilities of these rows, shape (rows, classes); which of them are labeled and were
        scored by models that did not see the label, as can be if their class has more than one;
        and the consensus.
    """
    copies = _copies(classes, weights, rng)
    some, place = np.unique(copies, return_inverse=True)
    read = values[some]
    form = MatrixForm.of(read, columns, weights[some])
    known = classes[copies]
    rows = np.flatnonzero(known >= 0)
    all_known = Known(
        form.write(read)[place],
        rows,
        known[rows],
        (weights / np.ceil(weights))[copies][rows],
        n_classes,
    )
    folds = deal_folds(all_known.classes, rng)
    truth = np.eye(n_classes)[all_known.classes]
    opinions, honest_of_labels = [], []
    for view in views:
        seed = rng.randint(np.iinfo(np.int32).max)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # of few rows for many classes
            held_out = _held_out(view, all_known, folds, np.random.RandomState(seed))
            model = view.fit(all_known, np.random.RandomState(seed))
        asked = ~np.isnan(held_out[:, 0])
        heat = find_temperature(held_out[asked], truth[asked], all_known.weights[asked])
        sure = np.full_like(held_out, np.nan)
        sure[asked] = sharpened(held_out[asked], heat)
        found = held_out[asked].argmax(axis=1) == all_known.classes[asked]
        accuracy = _mean(found, all_known.weights[asked])
        opinions.append(ClassOpinion(view.name, model, heat, 1.0, accuracy))
        honest_of_labels.append(sure)
        on_view()
    together = np.stack(honest_of_labels)
    asked = ~np.isnan(together[0, :, 0])
    shares = weigh_classes(together[:, asked], truth[asked], all_known.weights[asked])
    opinions = [replace(one, weight=float(w)) for one, w in zip(opinions, shares, strict=True)]
    mean = np.tensordot(shares, together, 1)
    heat = find_temperature(mean[asked], truth[asked], all_known.weights[asked])
    consensus = ClassConsensus(form, opinions, heat, np.zeros(n_classes))
    honest, rest = consensus.probabilities(values), classes < 0
    if balanced and rest.any():
        mass = np.bincount(all_known.classes, all_known.weights, n_classes)
        offsets = find_offsets(honest[rest], mass, weights[rest])
        consensus, honest = replace(consensus, offsets=offsets), moved(honest, offsets)
    sums = np.zeros((len(values), n_classes))
    np.add.at(sums, copies[rows][asked], consensus.adjusted(mean[asked]))
    counts = np.bincount(copies[rows][asked], minlength=len(values))
    honest[counts > 0] = sums[counts > 0] / counts[counts > 0, None]
    return honest, counts > 0, consensus


def deal_folds(classes: np.ndarray, rng: np.random.RandomState) -> np.ndarray:
    """Deal labeled rows into folds, class by class; -1 for the only row of its class.

    Parameters
    ----------
    classes
        Class of each labeled row.
    rng
        Source of the deal.

    Returns
    -------
    array of int
    """
    folds, start = np.full(len(classes), -1), 0
    for one in np.unique(classes):
        rows = rng.permutation(np.flatnonzero(classes == one))
        if len(rows) > 1:
            folds[rows] = (start + np.arange(len(rows))) % N_FOLDS
            start += len(rows)
    return folds


def _held_out(
    view: ClassView, known: Known, folds: np.ndarray, rng: np.random.RandomState
) -> np.ndarray:
    """Probabilities of labeled rows by models that did not see their label, or NaN."""
    found = np.full((len(folds), known.n_classes), np.nan)
    for fold in range(N_FOLDS):
        out = folds == fold
        seen = known.classes[~out]
        if not out.any() or len(np.unique(seen)) < 2:
            continue
        rest = replace(
            known,
            rows=known.rows[~out],
            classes=seen,
            weights=known.weights[~out],
            brief=True,
        )
        found[out] = view.fit(rest, rng).probabilities(known.labeled[out])
    return found


def _copies(classes: np.ndarray, weights: np.ndarray, rng: np.random.RandomState) -> np.ndarray:
    """Row numbers, as often as a row weighs, and not more than views learn from."""
    copies = np.repeat(np.arange(len(classes)), np.ceil(weights).astype(int))
    if len(copies) <= MOST_ROWS:
        return copies
    labeled = np.flatnonzero(classes[copies] >= 0)
    chosen = rng.permutation(labeled)[: MOST_ROWS // 2]
    _, first = np.unique(classes[copies[labeled]], return_index=True)
    chosen = np.union1d(chosen, labeled[first])  # no class loses its only label
    others = np.flatnonzero(classes[copies] < 0)
    others = rng.permutation(others)[: MOST_ROWS - len(chosen)]
    return copies[np.sort(np.concatenate([chosen, others]))]


def _mean(values: np.ndarray, weights: np.ndarray) -> float:
    return float(np.average(values, weights=weights)) if len(values) else float("nan")
