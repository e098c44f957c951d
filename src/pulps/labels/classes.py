"""What y means with several classes: a class, or nothing; scikit-learn's ``-1`` is nothing."""

from __future__ import annotations

import warnings
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from pulps.io.naming import quoted
from pulps.labels.reading import is_number, missing_labels, of_one_kind

UNLABELED = -1
NONE_OF_THESE = "none of these"


class ClassTarget(NamedTuple):
    """A checked ``y``: the classes, and the number of the class of each row, -1 for none.

    Parameters
    ----------
    classes
        The classes.
    known
        Number of the class of each row; -1 for a row without a label.
    """

    classes: np.ndarray
    known: np.ndarray


def read_classes(y: Any, *, n_rows: int, caller: str, unlabeled_class: Any = False) -> ClassTarget:
    """Tell classes from unlabeled rows.

    Parameters
    ----------
    y : array-like of shape (rows,)
        Classes. -1, None and NaN mean that a row has no label.
    n_rows
        Number of rows of X, which ``y`` must have as well.
    caller
        Name of the estimator, for errors.
    unlabeled_class
        Whether there is one more class, that of rows like none that are labeled: False, True, or
        the value that stands for it. True takes -1, or "none of these" where classes are text.

    Returns
    -------
    ClassTarget
        Labeled classes in sorted order, then the one without labels, if there is one.

    Examples
    --------
    >>> read_classes([2, -1, 0, 2], n_rows=4, caller="me")
    ClassTarget(classes=array([0, 2]), known=array([ 1, -1,  0,  1]))
    >>> read_classes(["b", None], n_rows=2, caller="me", unlabeled_class=True).classes.tolist()
    ['b', 'none of these']
    """
    from pandas.api.extensions import ExtensionDtype
    from sklearn.utils import assert_all_finite
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import check_consistent_length, column_or_1d

    if y is None:
        raise ValueError(
            f"This {caller} estimator requires y to be passed, but the target y is None: pass a "
            "class for labeled rows and -1 for all others."
        )
    if isinstance(getattr(y, "dtype", None), ExtensionDtype):  # would become float
        y = np.asarray(y, dtype=object)
    y = column_or_1d(y, warn=True)
    check_consistent_length(range(n_rows), y)
    labeled = ~unlabeled_rows(y)
    given = y[labeled]
    if y.dtype.kind in "OmM":
        given = of_one_kind(given.tolist())
    assert_all_finite(given, input_name="y")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of many classes, which are no mistake
        check_classification_targets(given)
    classes, numbers = np.unique(given, return_inverse=True)
    known = np.full(len(y), UNLABELED)
    known[labeled] = numbers
    if not len(classes):
        raise ValueError(
            "No row of y has a class. Label some rows of two classes at least, or of one and pass "
            "unlabeled_class=True."
        )
    if unlabeled_class is not False:
        classes = _with_unlabeled_class(classes, unlabeled_class)
    if len(classes) < 2:
        raise ValueError(
            f"y names one class, {quoted(classes[0].item())}, and two are needed at least. Label "
            "rows of another class, or pass unlabeled_class=True if some unlabeled rows are like "
            "none of the labeled ones."
        )
    return ClassTarget(classes, known)


def read_class_column(column: Any) -> np.ndarray:
    """Read the column of a table that names classes; what is blank has no label.

    Many readers make decimal numbers of whole ones that stand beside blanks; they become whole
    again, so that classes are called what the file calls them.

    Parameters
    ----------
    column : Series
        Any values.

    Returns
    -------
    array of objects
        None where there is no label.

    Examples
    --------
    >>> import pandas as pd
    >>> read_class_column(pd.Series(["a", "", None, "b"])).tolist()
    ['a', None, None, 'b']
    >>> read_class_column(pd.Series([2.0, None])).tolist()
    [2, None]
    """
    words = column.to_numpy(dtype=object, copy=True)
    blank = missing_labels(words)
    if all(isinstance(value, float) and value.is_integer() for value in words[~blank]):
        words[~blank] = [int(value) for value in words[~blank]]
    words[blank] = None
    return words


def unlabeled_rows(y: np.ndarray) -> np.ndarray:
    """Tell which rows have no label: -1, None or NaN.

    Parameters
    ----------
    y
        Labels of any type.

    Returns
    -------
    array of bool

    Examples
    --------
    >>> unlabeled_rows(np.array(["a", None, -1, "none"], dtype=object)).tolist()
    [False, True, True, False]
    """
    if y.dtype.kind in "iu":
        return y == UNLABELED
    if y.dtype.kind == "f":
        return np.isnan(y) | (y == UNLABELED)
    if y.dtype.kind in "mM":
        return np.isnat(y)
    if y.dtype.kind != "O":
        return np.zeros(len(y), dtype=bool)
    import pandas as pd

    nothing = pd.isna(pd.Series(y, dtype=object)).to_numpy(bool)
    minus_one = [isinstance(value, Real) and value == UNLABELED for value in y.tolist()]
    return nothing | np.array(minus_one, dtype=bool)


def _with_unlabeled_class(classes: np.ndarray, value: Any) -> np.ndarray:
    """Put the class without labels behind the others."""
    is_text = classes.dtype.kind == "U"
    if value is True:
        value = NONE_OF_THESE if is_text else UNLABELED
    is_of_kind = isinstance(value, str) if is_text else is_number(value)
    if not is_of_kind or value != value:
        raise ValueError(
            f"unlabeled_class={quoted(value)} cannot stand beside the classes "
            f"{quoted(classes[:3].tolist())}: all must be text, or all numbers. Pass "
            f"{'a text' if is_text else 'a number'}, or True."
        )
    if value in classes.tolist():
        raise ValueError(
            f"unlabeled_class={quoted(value)} is a class of labeled rows as well. Pass another "
            "value."
        )
    return np.array([*classes.tolist(), value])
