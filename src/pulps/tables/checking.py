"""What an estimator checks of a table before it reads it."""

from __future__ import annotations

from typing import Any

from sklearn.utils.validation import validate_data

from pulps.tables.reading import is_table


def check_columns(estimator: Any, X: Any, *, reset: bool, min_rows: int = 1) -> Any:
    """Check the names and the number of columns; arrays become numeric, tables stay as they are.

    Parameters
    ----------
    estimator
        Remembers names and number of columns in ``feature_names_in_`` and ``n_features_in_``.
    X
        pandas, polars or pyarrow table, or an array.
    reset
        True in ``fit``, which remembers the columns; False later, when they must be the same.
    min_rows
        Fewest rows an array may have.

    Returns
    -------
    table or array
        The table itself, or a numeric array in which NaN is missing.
    """
    if is_table(X):
        return validate_data(estimator, X, reset=reset, skip_check_array=True)
    return validate_data(
        estimator,
        X,
        reset=reset,
        ensure_all_finite="allow-nan",
        dtype="numeric",
        ensure_min_samples=min_rows,
    )
