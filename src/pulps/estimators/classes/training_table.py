"""What a fit with several classes is given, read and checked."""

from __future__ import annotations

from typing import Any

import numpy as np

from pulps.estimators.tables.fit import EncodedTable
from pulps.io._sklearn import check_sample_weight
from pulps.io.calls import warn_caller
from pulps.io.naming import listed, quoted
from pulps.labels import read_classes
from pulps.tables.checking import check_columns
from pulps.tables.decoding import read_form
from pulps.tables.encoding import TableEncoder
from pulps.tables.notices import TableWarning


def read_class_table(
    model: Any, X: Any, y: Any, sample_weight: Any, encoder: TableEncoder
) -> tuple[np.ndarray, np.ndarray, EncodedTable]:
    """Read the rows of a fit.

    Parameters
    ----------
    model
        The classifier that is fitted; it remembers the columns.
    X, y, sample_weight
        As in its ``fit``.
    encoder
        Not fitted yet.

    Returns
    -------
    values, known, table
        All rows, encoded, and the number of the class of each, -1 for none; and those of them
        that weigh something, to learn from.
    """
    X = check_columns(model, X, reset=True)
    classes, known = read_classes(
        y,
        n_rows=X.shape[0],
        caller=type(model).__name__,
        unlabeled_class=model.unlabeled_class,
    )
    weights = check_sample_weight(sample_weight, known, dtype=float, ensure_non_negative=True)
    used = weights > 0
    open_set = model.unlabeled_class is not False
    counts = np.bincount(known[used & (known >= 0)], minlength=len(classes))
    labeled_counts = counts[: len(classes) - open_set]
    if open_set and not (used & (known < 0)).any():
        raise ValueError(
            f"unlabeled_class={model.unlabeled_class!r} asks for a class without labels, but "
            "every row has one. Leave some rows unlabeled (-1), or pass unlabeled_class=False."
        )
    if (labeled_counts == 0).any():
        lost = classes[: len(labeled_counts)][labeled_counts == 0]
        raise ValueError(
            f"All rows of the class{'es' * (len(lost) > 1)} {quoted(lost.tolist())} have "
            "sample_weight zero, so there is nothing to learn of it. Give some of them weight, or "
            "take the label away (-1)."
        )
    single = classes[: len(labeled_counts)][labeled_counts == 1]
    if len(single):
        warn_caller(
            f"{len(single)} of {len(labeled_counts)} classes have one labeled row only: "
            f"{listed(single)}. Such a label cannot be held out, so what is said of these classes "
            "was never checked.",
            TableWarning,
        )
    values = encoder.fit_transform(X, sample_weight=weights)
    table = EncodedTable(
        values[used],
        known[used] >= 0,
        weights[used],
        classes,
        encoder,
        read_form(X, encoder),
        known[used],
    )
    return values, known, table
