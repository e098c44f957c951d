"""Probabilities of classes made surer, less sure, or moved to other shares of the classes."""

from __future__ import annotations

import numpy as np

FLOOR = 1e-3  # added to every probability before logarithms are taken


def sharpened(probabilities: np.ndarray, temperature: float) -> np.ndarray:
    """Make probabilities surer, or less sure.

    Parameters
    ----------
    probabilities
        Shape (..., classes).
    temperature
        Factor of their logarithms: above one is surer.

    Returns
    -------
    array of the same shape

    Examples
    --------
    >>> sharpened(np.array([0.6, 0.4]), 2.0).round(2)
    array([0.69, 0.31])
    """
    logs = temperature * np.log(probabilities + FLOOR)
    odds = np.exp(logs - logs.max(axis=-1, keepdims=True))
    return odds / odds.sum(axis=-1, keepdims=True)


def moved(probabilities: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """Add a number to the log-probabilities of each class.

    Parameters
    ----------
    probabilities
        Shape (rows, classes).
    offsets
        Shape (classes,).

    Returns
    -------
    array of the same shape
        Rows sum to one.
    """
    odds = probabilities * np.exp(offsets)
    return odds / odds.sum(axis=1, keepdims=True)
