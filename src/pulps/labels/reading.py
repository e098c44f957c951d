"""What a value of y means: labeled positive, or unlabeled; what is missing is unlabeled."""

from __future__ import annotations

from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from pulps.io.naming import quoted, shown

MISSING = ("", "na", "n/a", "#n/a", "nan", "none", "null", "<na>")  # labels that say nothing
MOST = 2**63  # beyond it a number is no whole one for NumPy
PLAIN = {(bool, np.bool_): np.bool_, (str,): np.str_, (bytes,): np.bytes_}


def read_labels(y: np.ndarray, pos_label: Any = None) -> tuple[np.ndarray, np.ndarray]:
    """Tell labeled positives from unlabeled rows; what is missing is unlabeled.

    Parameters
    ----------
    y
        Two distinct values, or one beside missing ones (NaN, None, NA).
    pos_label
        The value of a labeled positive; by default the larger one, for numbers and
        booleans, or the only one beside missing ones.

    Returns
    -------
    classes
        The two values, that of unlabeled rows first.
    labeled
        Boolean, True for a labeled positive.

    Examples
    --------
    >>> read_labels(np.array([-1, 1, -1]))
    (array([-1,  1]), array([False,  True, False]))
    >>> read_labels(np.array(["no", "yes"]), pos_label="no")
    (array(['yes', 'no'], dtype='<U3'), array([ True, False]))
    >>> read_labels(np.array(["yes", None], dtype=object))
    (array(['not yes', 'yes'], dtype='<U7'), array([ True, False]))
    """
    blank = missing_labels(y)
    known = y[~blank] if y.dtype.kind != "O" else of_one_kind(y[~blank].tolist())
    values = np.unique(known)
    if len(values) == 1 and blank.any():
        values = _with_unlabeled(values[0])
        pos_label = values[1] if pos_label is None else pos_label
    if len(values) != 2:
        word = "class" if len(values) == 1 else "classes"
        raise ValueError(
            "Only binary classification is supported. Positive-unlabeled learning needs "
            "2 classes in y, one for labeled positives and one for unlabeled rows, but y "
            f"has {len(values)} {word}: {quoted(values[:5].tolist())}. " + _way_out(values)
        )
    if pos_label is None:
        if values.dtype.kind not in "biuf":
            first, second = values.tolist()
            raise ValueError(
                f"y holds the values {quoted(first)} and {quoted(second)}; which one marks a "
                "labeled positive cannot be told from strings. Pass "
                f"pos_label={quoted(second)} or pos_label={quoted(first)}."
            )
        pos_label = values[1]
    elif pos_label not in values.tolist():
        raise ValueError(
            f"pos_label={quoted(pos_label)} is not in y, which holds {quoted(values.tolist())}. "
            "Pass one of these values."
        )
    labeled = np.zeros(len(y), dtype=bool)
    labeled[~blank] = known == pos_label
    classes = values if pos_label == values[1] else values[::-1]
    return classes.copy(), labeled


def _way_out(values: np.ndarray) -> str:
    """Say what to do with one value, or with more than two."""
    if len(values) < 2:
        return "Mark the rows you know to be positive with 1 and all others with 0."
    if values.dtype.kind in "if" and set(values.tolist()) == {-1, 0, 1}:
        return "Known negatives are for PUClassifier and LPSClassifier. Mark them with 0 here."
    return (
        "Merge the other values into one before fitting, or fit a model of several classes, such "
        "as LPSSemiSupervisedClassifier."
    )


def missing_labels(y: np.ndarray) -> np.ndarray:
    """Tell which labels are missing: NaN, None, NA, or text that says so.

    Parameters
    ----------
    y
        Labels of any type.

    Returns
    -------
    array of bool

    Examples
    --------
    >>> missing_labels(np.array(["yes", "NA", "", None], dtype=object)).tolist()
    [False, True, True, True]
    """
    if y.dtype.kind in "biu":
        return np.zeros(len(y), dtype=bool)
    if y.dtype.kind == "f":
        return np.isnan(y)
    import pandas as pd

    words = pd.Series(y, dtype=object)
    return (words.isna() | words.map(str).str.strip().str.lower().isin(MISSING)).to_numpy(bool)


def is_number(value: Any) -> bool:
    """Tell whether a label is a number; a boolean is none.

    Parameters
    ----------
    value
        A label.

    Returns
    -------
    bool

    Examples
    --------
    >>> is_number(2.5), is_number(True), is_number("2")
    (True, False, False)
    """
    return isinstance(value, Real) and not isinstance(value, bool | np.bool_)


def of_one_kind(values: list[Any]) -> np.ndarray:
    """Make an array of classes that are all text, all numbers or all booleans.

    Others are refused before any work: a model remembers its classes, and a file could not.

    Parameters
    ----------
    values
        Labels, none of them missing.

    Returns
    -------
    array

    Examples
    --------
    >>> of_one_kind(["b", "a"]), of_one_kind([1, 2.5])
    (array(['b', 'a'], dtype='<U1'), array([1. , 2.5]))
    """
    for kind, of_array in PLAIN.items():
        if values and all(isinstance(value, kind) for value in values):
            return np.array(values, dtype=of_array)
    numbers = all(isinstance(value, Real) for value in values)
    if numbers and max(map(abs, values), default=0) < MOST:
        whole = values and all(type(value) is int for value in values)
        return np.array(values, dtype=np.int64 if whole else float)
    kinds = sorted({type(value).__name__ for value in values})
    raise ValueError(
        f"y holds values of type {' and '.join(kinds)}, such as {quoted(str(values[0]))}. Classes "
        "must be all text, all numbers of at most 18 digits or all booleans; convert them first, "
        "as y.astype(str) does."
    )


def _with_unlabeled(value: Any) -> np.ndarray:
    """Put a value for unlabeled rows before the only one that was given."""
    if not isinstance(value, str) and not value > 0:
        raise ValueError(
            f"y holds {quoted(value)} and missing values, so no row is positive. Mark the rows "
            "you know to be positive with 1; all others may be 0 or missing."
        )
    return np.array([f"not {value}" if isinstance(value, str) else type(value)(0), value])


class Target(NamedTuple):
    """A checked ``y``: the values themselves, the two classes, and which rows are labeled.

    Parameters
    ----------
    y
        The values, a vector.
    classes
        The two classes, that of unlabeled rows first.
    labeled
        Boolean, True for a labeled positive.
    """

    y: np.ndarray
    classes: np.ndarray
    labeled: np.ndarray


def read_target(
    y: Any, pos_label: Any = None, *, n_rows: int, caller: str, rows: str = "rows"
) -> Target:
    """Check ``y`` as scikit-learn wants it checked, and read it.

    Parameters
    ----------
    y : array-like of shape (rows,)
        As in :func:`read_labels`.
    pos_label
        As in :func:`read_labels`.
    n_rows
        Number of rows of X, which ``y`` must have as well.
    caller
        Name of the estimator, for the error that ``y`` is missing.
    rows
        What the estimator calls a row, for the same error.

    Returns
    -------
    Target
        ``y`` as a vector, the classes (that of unlabeled rows first), and a boolean array
        that is True for a labeled positive.

    Examples
    --------
    >>> read_target([0, 1, 0], n_rows=3, caller="BBE").labeled
    array([False,  True, False])
    """
    from sklearn.utils import assert_all_finite
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import check_consistent_length, column_or_1d

    if y is None:
        raise ValueError(
            f"This {caller} estimator requires y to be passed, but the target y is None: pass "
            f"1 for labeled positives and 0 for unlabeled {rows}."
        )
    y = column_or_1d(y, warn=True)
    check_consistent_length(range(n_rows), y)
    known = y[~missing_labels(y)]
    if y.dtype.kind != "O":
        assert_all_finite(known, input_name="y")
        check_classification_targets(known)
    classes, labeled = read_labels(y, pos_label)
    return Target(np.where(labeled, classes[1], classes[0]), classes, labeled)


def read_label_column(
    column: Any, positive: str | None = None, negative: str | None = None
) -> np.ndarray:
    """Read a table's column of labels, where blanks are unlabeled.

    Parameters
    ----------
    column
        A pandas column.
    positive
        The value of a labeled positive as it stands in the file; by default the larger
        of two numbers, or the only value beside blanks.
    negative
        The value of a row that is known to be negative; by default -1, where the column holds
        -1, 0 and 1, and none elsewhere.

    Returns
    -------
    array of int
        1 for a labeled positive, 0 for an unlabeled row, -1 for one that is known to be negative.

    Examples
    --------
    >>> import pandas as pd
    >>> read_label_column(pd.Series(["yes", None, "no", ""]), negative="no").tolist()
    [1, 0, -1, 0]
    >>> read_label_column(pd.Series([1, 0, -1])).tolist()
    [1, 0, -1]
    """
    name, blank = column.name, missing_labels(column.to_numpy())
    if any(isinstance(value, list | dict | set | np.ndarray) for value in column[~blank]):
        raise ValueError(
            f"Column {quoted(name)} holds lists or objects. Expected two values, one for labeled "
            "positives and one (or blank) for unlabeled rows."
        )
    if negative is not None and negative == positive:
        raise ValueError(
            f"{quoted(positive)} cannot mark both labeled positives and known negatives. Pass two "
            "values."
        )
    values = column[~blank].unique().tolist()
    if negative is None and positive in (None, "1", "1.0") and set(values) == {-1, 0, 1}:
        negative = "-1"
    known_negative = np.zeros(len(column), dtype=bool)
    if negative is not None:
        known_negative = (column == _named(column[~blank], negative, "known negative")).to_numpy()
        blank = blank | known_negative
    labeled = _labeled(column, blank, positive)
    if not labeled.any():
        raise ValueError(
            f"Column {quoted(name)} marks no row as positive: it holds only "
            f"{quoted(values[:2]) if values else 'blanks'}. "
            "Mark the rows known to be positive with 1."
        )
    if (labeled | known_negative).all():
        kinds = "positive or negative" if known_negative.any() else "positive"
        raise ValueError(
            f"Column {quoted(name)} marks all {len(labeled)} rows as {kinds}. Unlabeled rows are "
            "needed as well; mark them with 0 or leave them blank."
        )
    return labeled.astype(int) - known_negative


def _labeled(column: Any, blank: np.ndarray, positive: str | None) -> np.ndarray:
    """Tell the labeled positives of a column from what is blank or has another value."""
    name, values = column.name, column[~blank].unique().tolist()
    if positive is not None:
        labeled = (column == _named(column[~blank], positive, "labeled positive")).to_numpy()
    elif len(values) == 1 and blank.any():
        labeled = ~blank
    elif len(values) == 2 and all(isinstance(value, Real) for value in values):
        labeled = (column == max(values)).to_numpy()
    elif len(values) == 2:
        raise ValueError(
            f"Column {quoted(name)} holds {quoted(values[0])} and {quoted(values[1])}; which one "
            "marks a labeled positive cannot be told. Name it, such as --positive "
            f"{shown(values[0])}, and the other one with --negative if it marks known negatives."
        )
    elif len(values) > 2:
        raise ValueError(
            f"Column {quoted(name)} holds {len(values)} values: {quoted(values[:5])}. Expected "
            "two, one for labeled positives and one (or blank) for unlabeled rows. Name one with "
            "--positive, or fit a model of several classes (--model classes)."
        )
    else:
        labeled = np.full(len(column), bool(values) and bool(values[0]))
    return np.asarray(labeled, dtype=bool) & ~blank


def _named(column: Any, wanted: str, what: str) -> Any:
    """Find the value of a column that was named as text."""
    values = column.unique().tolist()
    matches = [value for value in values if str(value) in (wanted, f"{wanted}.0")]
    if not matches:
        raise ValueError(
            f"Column {quoted(column.name)} never holds {quoted(wanted)}; it holds "
            f"{quoted(values[:5])}. Pass the value that marks a {what}."
        )
    return matches[0]
