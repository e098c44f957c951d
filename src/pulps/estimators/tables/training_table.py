"""What a fit is given, read and checked: a table, labels and weights become encoded rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from pulps.estimators.tables.encoded_table import EncodedTable
from pulps.io._sklearn import check_sample_weight
from pulps.io.calls import warn_caller
from pulps.io.naming import listed
from pulps.labels import known_states, read_target, take_negatives
from pulps.tables.checking import check_columns
from pulps.tables.decoding import read_form
from pulps.tables.encoding import TableEncoder
from pulps.tables.notices import TableWarning

FEW_LABELS = 8


def warn_of_labels(values: np.ndarray, labeled: np.ndarray, names: list[Any]) -> None:
    """Warn of very few labels, and of columns that say which rows are labeled.

    Parameters
    ----------
    values
        Encoded rows.
    labeled
        Which of them are labeled.
    names
        Names of the columns.
    """
    n_labeled = int(labeled.sum())
    if n_labeled < FEW_LABELS:
        warn_caller(
            f"Only {n_labeled} row{'s are' if n_labeled != 1 else ' is'} labeled. With fewer than "
            f"{FEW_LABELS} labels neither the ranking nor the share of positives can be trusted.",
            TableWarning,
        )
    telling = [
        str(name) for name, cells in zip(names, values.T, strict=True) if _equals(cells, labeled)
    ]
    if telling:
        warn_caller(
            f"{listed(telling)} {'equal' if len(telling) > 1 else 'equals'} the label: it is "
            "known for labeled rows only, or has one value for these and another for all others. "
            "The model will repeat the labels and find nothing new. Leave it out (--drop, or "
            "roles) unless it is known before the label is.",
            TableWarning,
        )


def _equals(cells: np.ndarray, labeled: np.ndarray) -> bool:
    known = ~np.isnan(cells)
    if (known == labeled).all() or (known == ~labeled).all():
        return True
    inside, outside = np.unique(cells[labeled]), np.unique(cells[~labeled])
    return len(inside) == 1 and len(outside) == 1 and inside[0] != outside[0]


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
    y, negative = take_negatives(y, model.pos_label)
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
    warn_of_labels(values, labeled[used], [column.name for column in encoder.columns_])
    form = read_form(X, encoder)
    known = None
    if negative is not None:
        classes = np.array([-1, 1]).astype(classes.dtype)
        known = known_states(labeled, negative)[used]
    return EncodedTable(values, labeled[used], weights[used], classes, encoder, form, known)
