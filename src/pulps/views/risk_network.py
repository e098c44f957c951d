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
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from pulps.io.randomness import new_seed
from pulps.views.rows import Labels, Rows

N_HIDDEN = 32
N_STEPS = 200
LEARNING_RATE = 0.01
WEIGHT_DECAY = 1e-3
SMALLEST = 1e-3  # share of negatives
MOST_LABELED, MOST_UNLABELED = 250, 750  # rows in a step


@dataclass(frozen=True)
class Perceptrons:
    """Perceptrons with two hidden layers, one per fold.

    Parameters
    ----------
    weights
        Of the three layers: shape (folds, inputs, outputs) each.
    offsets
        Of the three layers: shape (folds, 1, outputs) each.
    """

    weights: list[np.ndarray]
    offsets: list[np.ndarray]

    def score(self, rows: Rows) -> np.ndarray:
        """Mean score over the folds.

        Parameters
        ----------
        rows
            Rows.

        Returns
        -------
        array of shape (rows,)
        """
        n_folds = len(self.weights[0])
        return np.mean([self.score_of_fold(rows, fold) for fold in range(n_folds)], axis=0)

    def score_of_fold(self, rows: Rows, fold: int) -> np.ndarray:
        """Score by the perceptron that did not see a fold.

        Parameters
        ----------
        rows
            Rows.
        fold
            Number of the fold.

        Returns
        -------
        array of shape (rows,)
        """
        values = rows.matrix
        for layer, (weights, offsets) in enumerate(zip(self.weights, self.offsets, strict=True)):
            values = (values if layer == 0 else np.maximum(values, 0)) @ weights[fold]
            values = values + offsets[fold]
        return values[:, 0]


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
    honest = model.score(rows) if (labels.folds < 0).any() else np.empty(len(rows))
    for fold in range(labels.n_folds):
        left_out = labels.folds == fold
        honest[left_out] = model.score_of_fold(rows[left_out], fold)
    return honest, model


def _descend(
    matrix: np.ndarray,
    labels: Labels,
    rng: np.random.RandomState,
    prior: float,
    share_labeled: float,
) -> Perceptrons:
    """Train the perceptrons of all folds at once."""
    import torch  # here, so that whoever only scores does not need it

    generator = torch.Generator().manual_seed(new_seed(rng))
    cells = torch.as_tensor(matrix, dtype=torch.float32)
    seen = labels.folds[None] != np.arange(labels.n_folds)[:, None]
    masses = torch.as_tensor(seen * labels.weights, dtype=torch.float32)
    sizes = (matrix.shape[1], N_HIDDEN, N_HIDDEN, 1)
    weights = [
        torch.randn(labels.n_folds, before, after, generator=generator) * math.sqrt(2 / before)
        for before, after in pairwise(sizes)
    ]
    offsets = [torch.zeros(labels.n_folds, 1, after) for after in sizes[1:]]
    parameters = [tensor.requires_grad_() for tensor in (*weights, *offsets)]
    optimizer = torch.optim.AdamW(parameters, lr=LEARNING_RATE, weight_decay=WEIGHT_DECAY)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, N_STEPS)
    kinds = [np.flatnonzero(labels.labeled), np.flatnonzero(~labels.labeled)]

    def losses(kind: np.ndarray, most: int) -> tuple:
        """Mean loss of rows as positives, and as negatives, by every perceptron."""
        some = kind if len(kind) <= most else rng.choice(kind, most, replace=False)
        values = cells[some]
        for layer, (weight, offset) in enumerate(zip(weights, offsets, strict=True)):
            values = (values if layer == 0 else values.relu()) @ weight + offset
        as_negative = values[..., 0].sigmoid()
        mass = masses[:, some]
        as_negative = (mass * as_negative).sum(1) / mass.sum(1).clamp_min(1e-12)
        return 1 - as_negative, as_negative

    heard = (prior + 0.5) / 2
    for _ in range(N_STEPS):
        as_positive, labeled_as_negative = losses(kinds[0], MOST_LABELED)
        _, unlabeled_as_negative = losses(kinds[1], MOST_UNLABELED)
        of_all = share_labeled * labeled_as_negative + (1 - share_labeled) * unlabeled_as_negative
        as_others = (of_all - prior * labeled_as_negative) / max(1 - prior, SMALLEST)
        risk = heard * as_positive + (1 - heard) * as_others.abs()
        optimizer.zero_grad()
        risk.sum().backward()
        optimizer.step()
        schedule.step()
    return Perceptrons(
        *([tensor.detach().double().numpy() for tensor in part] for part in (weights, offsets))
    )
