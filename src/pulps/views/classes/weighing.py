"""How sure views of classes may be, how much each counts, and which classes are expected."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize
from scipy.special import softmax

from pulps.views.classes.sureness import moved, sharpened

TEMPERATURES = np.exp(np.linspace(-1.5, 2.5, 41))
CAUTION = 3.0  # how many labels it takes to believe in a temperature
FIRST_SHARE = 0.5  # of the first view, before labels have a say; the others share the rest
FIRMNESS = 10.0  # how many labels it takes to move weights away from these shares
TOWARDS_LABELS = 0.5  # how far the shares of classes are moved towards those of the labels
N_ROUNDS = 100


def find_temperature(probabilities: np.ndarray, truth: np.ndarray, weights: np.ndarray) -> float:
    """Find the temperature under which held-out labels are most likely; few move it little.

    Parameters
    ----------
    probabilities
        Of held-out labeled rows, shape (rows, classes).
    truth
        One where a row belongs, zero elsewhere, of the same shape.
    weights
        Weight of each row.

    Returns
    -------
    float
        One if there are no rows.
    """
    if not len(truth):
        return 1.0
    costs = [
        -(weights @ np.log((truth * sharpened(probabilities, heat)).sum(axis=1) + 1e-12))
        + CAUTION * np.log(heat) ** 2 / 2
        for heat in TEMPERATURES
    ]
    return float(TEMPERATURES[int(np.argmin(costs))])


def weigh_classes(probabilities: np.ndarray, truth: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Weigh views so that their mean makes held-out labels likely.

    Few labels do not tell; the weights then stay near where they start, with half for the first
    view. So the consensus cannot be much worse than that view without labels that say so.

    Parameters
    ----------
    probabilities
        Of held-out labeled rows by every view, shape (views, rows, classes).
    truth
        One where a row belongs, zero elsewhere, shape (rows, classes).
    weights
        Weight of each row.

    Returns
    -------
    array of shape (views,)
        It sums to one.
    """
    n_views = len(probabilities)
    if n_views == 1:
        return np.ones(1)
    start = np.r_[FIRST_SHARE, np.full(n_views - 1, (1 - FIRST_SHARE) / (n_views - 1))]
    of_truth = (probabilities * truth).sum(axis=2)

    def cost(logits: np.ndarray) -> tuple[float, np.ndarray]:
        shares = softmax(logits)
        mean = shares @ of_truth + 1e-9
        value = -(weights @ np.log(mean)) - FIRMNESS * (start @ np.log(shares + 1e-300))
        of_labels = -(of_truth * (weights / mean)).sum(axis=1)
        slopes = shares * (of_labels - shares @ of_labels) + FIRMNESS * (shares - start)
        return value, slopes

    return softmax(minimize(cost, np.log(start), jac=True, method="L-BFGS-B").x)


def find_offsets(probabilities: np.ndarray, mass: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Find what moves the mean probabilities of rows part of the way to the shares of the labels.

    Parameters
    ----------
    probabilities
        Of unlabeled rows, shape (rows, classes).
    mass
        Weight of the labels of each class.
    weights
        Weight of each row.

    Returns
    -------
    array of shape (classes,)

    Examples
    --------
    >>> rows = np.array([[0.9, 0.1], [0.6, 0.4]])
    >>> offsets = find_offsets(rows, np.array([1.0, 1.0]), np.ones(2))
    >>> bool(0.5 < moved(rows, offsets)[:, 0].mean() < 0.75)
    True
    """
    wanted = np.log((mass + 0.5) / (mass + 0.5).sum())
    offsets = np.zeros(len(mass))
    for _ in range(N_ROUNDS):
        mean = np.average(moved(probabilities, offsets), axis=0, weights=weights)
        offsets += (wanted - np.log(mean + 1e-9)) / 2
    return TOWARDS_LABELS * (offsets - offsets.mean())
