"""What a fit is given, read and checked: a table, labels and weights become encoded rows."""

from __future__ import annotations

from typing import Any

from pulps.estimators.table_fit import EncodedTable
from pulps.io._sklearn import check_sample_weight
from pulps.labels import read_target
from pulps.tables.checking import check_columns
from pulps.tables.decoding import read_form
from pulps.tables.encoding import TableEncoder


def read_training_table(
    model: Any, X: Any, y: Any, sample_weight: Any, encoder: TableEncoder
) -> EncodedTable:
    """Read the rows of a fit; those that weigh nothing are left out.

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
    EncodedTable
    """
    X = check_columns(model, X, reset=True)
    _, classes, labeled = read_target(
        y, model.pos_label, n_rows=X.shape[0], caller=type(model).__name__
    )
    weights = check_sample_weight(sample_weight, labeled, dtype=float, ensure_non_negative=True)
    used = weights > 0
    if len({*labeled[used].tolist()}) < 2:
        raise ValueError(
            "All rows of positive sample_weight have the same y, so there is only one "
            "class. Keep labeled positives and unlabeled rows with weights above zero."
        )
    values = encoder.fit_transform(X, sample_weight=weights)[used]
    form = read_form(X, encoder)
    return EncodedTable(values, labeled[used], weights[used], classes, encoder, form)
