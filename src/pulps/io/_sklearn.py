"""The one file that knows private names of scikit-learn, and what its versions lack.

Everything else imports them from here, under names without an underscore, so that a release
that moves them is met in one place. Callbacks came with scikit-learn 1.9.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from sklearn.base import _fit_context
from sklearn.utils import _safe_indexing as safe_indexing
from sklearn.utils import metaestimators
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.validation import _check_sample_weight as check_sample_weight

try:
    from sklearn.callback import CallbackSupportMixin
    from sklearn.callback import with_callbacks as _with_callbacks
except ImportError:  # before 1.9
    from pulps.io._callbacks import CallbackSupportMixin
    from pulps.io._callbacks import with_callbacks as _with_callbacks

__all__ = [
    "CallbackSupportMixin",
    "HasMethods",
    "Interval",
    "StrOptions",
    "available_if",
    "boosted_trees",
    "callback_context",
    "check_parameters",
    "check_sample_weight",
    "fit_context",
    "has_callbacks",
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


def with_callbacks(method: Method) -> Method:
    """Let callbacks hear of a fit; the method's type stays what it is.

    Parameters
    ----------
    method
        The ``fit`` of an estimator.

    Returns
    -------
    callable
        The method.
    """
    return _with_callbacks(method)


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
