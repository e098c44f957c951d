"""What a fit with several classes is given, read and checked."""

from __future__ import annotations

from typing import Any

import numpy as np

from pulps.estimators.classes.labels import check_labels
from pulps.estimators.tables.encoded_table import EncodedTable
from pulps.io._sklearn import check_sample_weight
from pulps.labels import read_classes
from pulps.tables.checking import check_columns
from pulps.tables.decoding import read_form
from pulps.tables.encoding import TableEncoder


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
    check_labels(model, classes, known[used], "rows")
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
