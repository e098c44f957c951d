r"""Network view: small perceptrons that descend a non-negative PU risk, cross-fitted.

Views that tell labeled from unlabeled rows learn from the few labels. A risk whose loss is bounded
also learns from how the unlabeled rows lie: with sigmoid loss :math:`\ell`, labeled mean
:math:`E_L`, mean over all rows :math:`E` and prior :math:`\pi`,

.. math:: \pi' E_L \, \ell(f)
    + \frac{1 - \pi'}{1 - \pi} \, | E \, \ell(-f) - \pi E_L \, \ell(-f) | .

The second part is the risk of the negatives, so it is kept from falling below zero. With
:math:`\pi' = \pi` it would be the plain risk, in which calling every row negative is nearly free
where positives are rare; :math:`\pi'` lies half-way to one half.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from scipy.special import expit

from pulps.views.perceptrons import Perceptrons, forward
from pulps.views.rows import Labels, Rows, honest_scores

N_HIDDEN = 32
N_STEPS = 200
LEARNING_RATE = 0.01
WEIGHT_DECAY = 1e-3
MEAN_KEPT, SQUARE_KEPT = 0.9, 0.999  # of the moments of gradients, from step to step
SMALLEST = 1e-3  # share of negatives
MOST_LABELED, MOST_UNLABELED = 250, 750  # rows in a step


def fit_risk_network(
    rows: Rows, labels: Labels, rng: np.random.RandomState, *, prior_of_unlabeled: float
) -> tuple[np.ndarray, Perceptrons]:
    """Fit the network view.

    Parameters
    ----------
    rows, labels
        Training rows.
    rng
        Draws the start, and the rows of a step where there are many.
    prior_of_unlabeled
        Share of positives among the unlabeled rows.

    Returns
    -------
    honest, model
        Honest scores of the training rows, and the model for new ones.
    """
    n_unlabeled = labels.weights[~labels.labeled].sum()
    share_labeled = labels.n_labeled / labels.weights.sum()
    prior = (labels.n_labeled + prior_of_unlabeled * n_unlabeled) / labels.weights.sum()
    model = _descend(rows.matrix, labels, rng, float(prior), float(share_labeled))
    return honest_scores(model, rows, labels), model


def _descend(
    matrix: np.ndarray,
    labels: Labels,
    rng: np.random.RandomState,
    prior: float,
    share_labeled: float,
) -> Perceptrons:
    """Train the perceptrons of all folds at once."""
    cells = matrix.astype(np.float32)
    seen = labels.folds[None] != np.arange(labels.n_folds)[:, None]
    masses = (seen * labels.weights).astype(np.float32)
    kinds = [np.flatnonzero(labels.labeled), np.flatnonzero(~labels.labeled)]
    sizes = (matrix.shape[1], N_HIDDEN, N_HIDDEN, 1)
    weights = [
        rng.normal(0, math.sqrt(2 / before), (labels.n_folds, before, after)).astype(np.float32)
        for before, after in pairwise(sizes)
    ]
    offsets = [np.zeros((labels.n_folds, 1, after), np.float32) for after in sizes[1:]]
    parameters = [*weights, *offsets]
    moments = [(np.zeros_like(values), np.zeros_like(values)) for values in parameters]
    heard = (prior + 0.5) / 2
    of_others = (1 - heard) / max(1 - prior, SMALLEST)
    for step in range(N_STEPS):
        some = [
            kind if len(kind) <= most else rng.choice(kind, most, replace=False)
            for kind, most in zip(kinds, (MOST_LABELED, MOST_UNLABELED), strict=True)
        ]
        known, unknown = (
            masses[:, rows] / np.maximum(masses[:, rows].sum(1, keepdims=True), 1e-12)
            for rows in some
        )
        layers = forward(cells[np.concatenate(some)], weights, offsets)
        answers = expit(layers[-1][..., 0])
        of_known = (known * answers[:, : len(some[0])]).sum(1, keepdims=True)
        of_unknown = (unknown * answers[:, len(some[0]) :]).sum(1, keepdims=True)
        side = np.sign((share_labeled - prior) * of_known + (1 - share_labeled) * of_unknown)
        slopes = np.concatenate(
            [
                known * (of_others * side * (share_labeled - prior) - heard),
                unknown * (of_others * side * (1 - share_labeled)),
            ],
            axis=1,
        )
        slopes *= answers * (1 - answers)
        rate = LEARNING_RATE * (1 + math.cos(math.pi * step / N_STEPS)) / 2
        _move(parameters, backward(slopes, layers, weights), moments, rate, step)
    return Perceptrons(*([values.astype(float) for values in part] for part in (weights, offsets)))


def backward(
    slopes: np.ndarray, layers: list[np.ndarray], weights: list[np.ndarray]
) -> list[np.ndarray]:
    """Gradients of all weights, then of all offsets.

    Parameters
    ----------
    slopes
        Derivative by the last layer, shape (folds, rows).
    layers
        From :func:`forward`.
    weights
        As in :class:`Perceptrons`.

    Returns
    -------
    list of arrays
    """
    at = slopes[..., None].astype(weights[0].dtype)
    of_weights, of_offsets = [], []
    for number in reversed(range(len(weights))):
        of_weights.append(np.swapaxes(layers[number], -1, -2) @ at)
        of_offsets.append(at.sum(1, keepdims=True))
        if number:  # nobody asks for the derivative by the rows
            at = (at @ np.swapaxes(weights[number], 1, 2)) * (layers[number] > 0)
    return of_weights[::-1] + of_offsets[::-1]


def _move(
    parameters: Sequence[np.ndarray],
    gradients: Sequence[np.ndarray],
    moments: Sequence[tuple[np.ndarray, np.ndarray]],
    rate: float,
    step: int,
) -> None:
    """Take a step of Adam in place, with decay of the parameters themselves."""
    for values, gradient, (mean, square) in zip(parameters, gradients, moments, strict=True):
        mean += (gradient - mean) * np.float32(1 - MEAN_KEPT)
        square += (gradient**2 - square) * np.float32(1 - SQUARE_KEPT)
        size = np.sqrt(square / np.float32(1 - SQUARE_KEPT ** (step + 1))) + np.float32(1e-8)
        move = mean / np.float32(1 - MEAN_KEPT ** (step + 1)) / size
        values -= np.float32(rate) * (move + np.float32(WEIGHT_DECAY) * values)
