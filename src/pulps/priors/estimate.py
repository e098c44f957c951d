"""One call for a number: the share of positives in the population."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from pulps.priors.bbe import BBE
from pulps.priors.dedpul import DEDPUL
from pulps.priors.elkan_noto import ElkanNoto
from pulps.priors.estimator import PriorEstimator
from pulps.priors.kernel_mean import KernelMean
from pulps.priors.three_way import ThreeWay
from pulps.priors.tice import TIcE

METHODS: dict[str, Callable[..., PriorEstimator]] = {
    "bbe": BBE,
    "dedpul": DEDPUL,
    "elkan-noto": ElkanNoto,
    "km1": partial(KernelMean, "km1"),
    "km2": partial(KernelMean, "km2"),
    "three-way": ThreeWay,
    "tice": TIcE,
}


def make_prior_estimator(method: str, **parameters: Any) -> PriorEstimator:
    """Return an unfitted estimator by the name of its method.

    Parameters
    ----------
    method : {"bbe", "dedpul", "elkan-noto", "km1", "km2", "three-way", "tice"}
        The method.
    **parameters
        Parameters of its class.

    Returns
    -------
    PriorEstimator

    Examples
    --------
    >>> make_prior_estimator("km1", random_state=0)
    KernelMean(random_state=0, threshold='km1')
    """
    if method not in METHODS:
        raise ValueError(f"method is {method!r}; it must be one of {', '.join(METHODS)}.")
    return METHODS[method](**parameters)


def estimate_prior(X: Any, y: Any, method: str = "bbe", **parameters: Any) -> float:
    """Estimate the share of positives in the population.

    Parameters
    ----------
    X : table or array
        Attributes; see :meth:`pulps.priors.BBE.fit`.
    y : array
        1 for a labeled positive, 0 for an unlabeled row.
    method : {"bbe", "dedpul", "elkan-noto", "km1", "km2", "three-way", "tice"}
        The estimator. Fit its class yourself to see more than the number.
    **parameters
        Parameters of that class, such as ``scenario``, ``pos_label``, ``random_state``.

    Returns
    -------
    prior : float
        What ``LPSClassifier(prior=...)`` wants, for the same ``scenario``.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> X, y_true = make_blobs(300, centers=[[0, 0], [6, 6]], random_state=0)
    >>> y = y_true.copy()
    >>> y[::2] = 0
    >>> abs(estimate_prior(X, y, "km2", random_state=0) - 0.5) < 0.1
    True
    """
    return make_prior_estimator(method, **parameters).fit(X, y).prior_
