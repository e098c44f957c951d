"""The one file that knows private names of scikit-learn, and what its versions lack.

Everything else imports them from here, under names without an underscore, so that a release
that moves them is met in one place. Callbacks came with scikit-learn 1.9.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

import numpy as np
import pandas as pd
from sklearn.base import _fit_context
from sklearn.metrics._scorer import _BaseScorer as BaseScorer
from sklearn.tree._tree import Tree as SklearnTree
from sklearn.utils import _safe_indexing as safe_indexing
from sklearn.utils import metaestimators
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.validation import _check_sample_weight, validate_data

try:
    from sklearn.callback import CallbackSupportMixin
    from sklearn.callback import with_callbacks as _with_callbacks

    _MANAGED = True
except ImportError:  # before 1.9
    from pulps.io._callbacks import CallbackSupportMixin
    from pulps.io._callbacks import with_callbacks as _with_callbacks

    _MANAGED = False

__all__ = [
    "BaseScorer",
    "CallbackSupportMixin",
    "HasMethods",
    "Interval",
    "SklearnTree",
    "StrOptions",
    "available_if",
    "boosted_trees",
    "callback_context",
    "check_names",
    "check_parameters",
    "check_sample_weight",
    "fit_context",
    "fit_task",
    "has_callbacks",
    "manage_callbacks",
    "safe_indexing",
    "with_callbacks",
]

Method = TypeVar("Method", bound=Callable[..., Any])


def fit_context(*, prefer_skip_nested_validation: bool) -> Callable[[Method], Method]:
    """Check parameters before a method runs; its type stays what it is.

    Parameters
    ----------
    prefer_skip_nested_validation
        Whether estimators inside need not be checked again.

    Returns
    -------
    callable
        Decorates the method.
    """
    return _fit_context(prefer_skip_nested_validation=prefer_skip_nested_validation)


def available_if(check: Callable[[Any], bool]) -> Callable[[Method], Method]:
    """Let an estimator have a method only if a check passes; its type stays what it is.

    Parameters
    ----------
    check
        Called with the estimator.

    Returns
    -------
    callable
        Decorates the method.
    """
    return metaestimators.available_if(check)


def manage_callbacks(method: Method) -> Method:
    """Set callbacks up and tear them down around a method; its type stays what it is.

    Parameters
    ----------
    method
        Does the work of a fit.

    Returns
    -------
    callable
        The method.
    """
    return _with_callbacks(method)


def with_callbacks(fit: Method) -> Method:
    """Let callbacks hear of a fit, of its rows, and of the fitted model in the end.

    It stands below :func:`fit_context`, which sets callbacks up and tears them down.

    Parameters
    ----------
    fit
        The ``fit`` of an estimator, which takes X and y first.

    Returns
    -------
    callable
        The method; its type stays what it is.
    """

    @wraps(fit)
    def told(estimator: Any, X: Any, y: Any = None, *args: Any, **kwargs: Any) -> Any:
        estimator._rows_of_fit = X, y
        try:
            fitted = fit(estimator, X, y, *args, **kwargs)
            # An empty dict: a copy of the model as it stands is ready to answer.
            task = fit_task(estimator, 0)
            task.call_on_fit_task_end(estimator=estimator, X=X, y=y, reconstruction_attributes={})
            return fitted
        finally:
            del estimator._rows_of_fit

    # Before 1.9, fit_context knows of no callbacks.
    return told if _MANAGED else _with_callbacks(told)  # type: ignore[return-value]


def fit_task(estimator: Any, n_subtasks: int) -> Any:
    """Return the context of the fit that is under way; open it if nobody did.

    Parameters
    ----------
    estimator
        An estimator.
    n_subtasks
        Number of subtasks of the fit.

    Returns
    -------
    CallbackContext
        The context.
    """
    task = getattr(estimator, "_callback_fit_ctx", None)
    if task is None:
        task = callback_context(estimator, n_subtasks)
        task.call_on_fit_task_begin(estimator=estimator)
    return task


def check_names(estimator: Any, X: Any, names: list[Any], *, reset: bool) -> None:
    """Remember the names of a table's columns, or check that they are those of the fit.

    Before 1.9 scikit-learn reads names of other tables than pandas' by an interchange that new
    versions of these libraries have no more, and then forgets them without a word; so it is
    shown a frame that has the names alone.

    Parameters
    ----------
    estimator
        Remembers them in ``feature_names_in_``, and their number in ``n_features_in_``.
    X
        A table.
    names
        Names of its columns.
    reset
        True in ``fit``, False later.
    """
    named = X if isinstance(X, pd.DataFrame) else pd.DataFrame(columns=names)
    validate_data(estimator, named, reset=reset, skip_check_array=True)


def check_parameters(estimator: Any) -> None:
    """Raise if a parameter is not what the estimator's constraints allow.

    Parameters
    ----------
    estimator
        An estimator.
    """
    estimator._validate_params()


def has_callbacks(estimator: Any) -> bool:
    """Tell whether callbacks were set on an estimator.

    Parameters
    ----------
    estimator
        An estimator.

    Returns
    -------
    bool
        Whether there are any.
    """
    return bool(getattr(estimator, "_skl_callbacks", None))


def callback_context(estimator: Any, n_subtasks: int) -> Any:
    """Open the context of a fit, through which callbacks hear of its subtasks.

    Parameters
    ----------
    estimator
        An estimator.
    n_subtasks
        Number of subtasks of the fit.

    Returns
    -------
    CallbackContext
        The context.
    """
    return estimator._init_callback_context(max_subtasks=n_subtasks)


def boosted_trees(model: Any) -> tuple[float, list[Any]]:
    """Read what a fitted gradient boosting of two classes adds up.

    Parameters
    ----------
    model
        A fitted ``HistGradientBoostingClassifier``.

    Returns
    -------
    start, trees
        The log-odds before the first tree, and the nodes of every tree as a structured array.
    """
    return float(model._baseline_prediction[0, 0]), [trees[0].nodes for trees in model._predictors]


def check_sample_weight(sample_weight: Any, X: Any, **checks: Any) -> np.ndarray:
    """Check the weights of rows; 1.7 does not mind if all of them are zero.

    Parameters
    ----------
    sample_weight
        Weights, one number for all rows, or None.
    X
        As many rows as there have to be weights.
    **checks
        What else scikit-learn checks.

    Returns
    -------
    array
        Weight of each row.
    """
    weights: np.ndarray = _check_sample_weight(sample_weight, X, **checks)
    if weights.size and not weights.any():
        raise ValueError("Sample weights must contain at least one non-zero number.")
    return weights
