"""Two tables, one of positives and one of unlabeled rows, become one table and its labels."""

from __future__ import annotations

from typing import Any

import numpy as np

from pulps.io.naming import listed


def stack_pu(X_positive: Any, X_unlabeled: Any) -> tuple[Any, np.ndarray]:
    """Put a table of positives on top of a table of unlabeled rows.

    Parameters
    ----------
    X_positive, X_unlabeled : tables or arrays
        Two tables of one library (pandas, polars, pyarrow) with the same columns, in any order;
        or two arrays of rows of the same shape.

    Returns
    -------
    X : table or array
        The positives, then the unlabeled rows; columns in the order of the first table. The index
        of pandas tables is kept if it has the same name in both, and else counts rows anew.
    y : array of int
        1 for a positive, 0 for an unlabeled row.

    Notes
    -----
    If the two were drawn apart, so that positives come on top of a sample of the population, tell
    models and metrics: ``scenario="case-control"``.

    Examples
    --------
    >>> X, y = stack_pu([[1.0, 2.0]], [[3.0, 4.0], [5.0, 6.0]])
    >>> X.shape, y
    ((3, 2), array([1, 0, 0]))
    """
    import narwhals.stable.v2 as nw

    pair = X_positive, X_unlabeled
    tables = [nw.dependencies.is_into_dataframe(one) for one in pair]
    if all(tables) and type(X_positive) is type(X_unlabeled):
        X = _stacked_tables(X_positive, X_unlabeled)
    elif any(tables):
        raise ValueError(
            f"X_positive is a {type(X_positive).__module__}.{type(X_positive).__name__} and "
            f"X_unlabeled a {type(X_unlabeled).__module__}.{type(X_unlabeled).__name__}; they "
            "must be tables of one library, or two arrays. Convert one of them."
        )
    else:
        arrays = [np.asarray(one) for one in pair]
        if arrays[0].ndim < 2 or arrays[0].shape[1:] != arrays[1].shape[1:]:
            raise ValueError(
                f"X_positive has shape {arrays[0].shape} and X_unlabeled {arrays[1].shape}; rows "
                "must have the same shape. Pass two arrays with the same columns."
            )
        X = np.concatenate(arrays)
    counts = [one.shape[0] if hasattr(one, "shape") else len(one) for one in pair]
    for count, name in zip(counts, ("X_positive", "X_unlabeled"), strict=True):
        if not count:
            raise ValueError(f"{name} has no rows; both kinds of rows are needed.")
    return X, np.repeat([1, 0], counts)


def _stacked_tables(X_positive: Any, X_unlabeled: Any) -> Any:
    import narwhals.stable.v2 as nw

    first, second = (nw.from_native(one, eager_only=True) for one in (X_positive, X_unlabeled))
    lacking = {
        "X_unlabeled": [name for name in first.columns if name not in second.columns],
        "X_positive": [name for name in second.columns if name not in first.columns],
    }
    for name, columns in lacking.items():
        if columns:
            raise ValueError(
                f"{name} lacks {len(columns)} of the columns of the other table: "
                f"{listed(columns)}. Both need the same columns; drop or add them."
            )
    second = second.select(first.columns)
    for name in first.columns:
        kinds = first[name].dtype, second[name].dtype
        if kinds[0] != kinds[1]:
            both = nw.Float64 if all(kind.is_numeric() for kind in kinds) else nw.String
            first, second = (
                table.with_columns(nw.col(name).cast(both)) for table in (first, second)
            )
    X = nw.concat([first, second], how="vertical").to_native()
    index = getattr(X, "index", None)
    if index is not None and hasattr(X, "reset_index") and index.name is None:
        return X.reset_index(drop=True)
    return X
