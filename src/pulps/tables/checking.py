"""What an estimator checks of a table before it reads it."""

from __future__ import annotations

from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
from sklearn.utils.validation import validate_data

from pulps.io._sklearn import check_names
from pulps.io.calls import warn_caller
from pulps.io.naming import listed
from pulps.tables.arriving import arrived
from pulps.tables.notices import TableWarning
from pulps.tables.reading import is_table, read_columns


def check_columns(estimator: Any, X: Any, *, reset: bool, min_rows: int = 1) -> Any:
    """Check the names and the number of columns; arrays become numeric, tables stay as they are.

    Later tables are matched by name: their columns may come in any order, and others beside them
    are ignored with a warning.

    Parameters
    ----------
    estimator
        Remembers names and number of columns in ``feature_names_in_`` and ``n_features_in_``.
    X
        pandas, polars or pyarrow table, or an array.
    reset
        True in ``fit``, which remembers the columns; False later, when they must be there.
    min_rows
        Fewest rows an array may have.

    Returns
    -------
    table or array
        The table itself, or a numeric array in which NaN is missing.
    """
    came, X = X, arrived(X)
    if isinstance(X, pd.DataFrame) and X is not came:  # an array that holds words
        if not reset and hasattr(estimator, "feature_names_in_"):
            raise ValueError(
                f"X is an array that holds text, but {type(estimator).__name__} was fitted on a "
                "table with names. Pass a table, such as pandas.DataFrame(X, "
                "columns=model.feature_names_in_)."
            )
        validate_data(
            estimator,
            np.asarray(came, dtype=object),
            reset=reset,
            dtype=None,
            ensure_all_finite=False,
            ensure_min_samples=min_rows,
        )
        return X
    if is_table(X):
        names, _ = read_columns(X)
        known = getattr(estimator, "feature_names_in_", None)
        if reset or known is None or not all(isinstance(name, str) for name in names):
            check_names(estimator, X, names, reset=reset)
            return X
        return _matched(estimator, X, names, known.tolist())
    return validate_data(
        estimator,
        X,
        reset=reset,
        ensure_all_finite=False,
        dtype="numeric",
        ensure_min_samples=min_rows,
    )


def _matched(estimator: Any, X: Any, names: list[str], known: list[str]) -> Any:
    """Select the columns of the fit by name."""
    if names == known:
        return X
    encoder = getattr(estimator, "encoder_", None)
    needed = known if encoder is None else [str(name) for name in encoder.needed_names]
    absent = [name for name in needed if name not in names]
    if absent:
        raise ValueError(
            f"X lacks {len(absent)} of the {len(needed)} columns that "
            f"{type(estimator).__name__} was fitted on: {listed(absent)}. Its feature "
            f"names should match those of the fit. X has {listed(names)}. Add what is missing; "
            "cells may be empty."
        )
    extra = [name for name in names if name not in known]
    if extra:
        warn_caller(
            f"Ignored {len(extra)} column{'s' * (len(extra) > 1)} that the fit did not have: "
            f"{listed(extra)}.",
            TableWarning,
        )
    kept = [name for name in known if name in names]
    return nw.from_native(X, eager_only=True).select(kept).to_native()
