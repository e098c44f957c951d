"""Dist-PU: the average answers must match the class shares."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from numbers import Integral, Real
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits

from pulps.baselines._shared.network_classifier import (
    NETWORK_CONSTRAINTS,
    NetworkClassifier,
)
from pulps.baselines._shared.network_training import TrainingBatch, train_network
from pulps.baselines._shared.perceptrons import scores
from pulps.baselines._shared.tabular import PRIOR_CONSTRAINTS
from pulps.io._sklearn import Interval

LARGEST_SCORE = 10.0


class DistPUClassifier(NetworkClassifier):
    r"""PU learning from a label distribution perspective.

    The mean answer on labeled rows must be one and the mean answer on the population must be
    the prior: :math:`|E_P \sigma(g) - 1| + \frac{1}{2 \pi} |E_X \sigma(g) - \pi|`. Unsure
    answers could meet that as well, so their entropy is kept small, and after a warm-up a
    mixture of rows should be answered with the mixture of the answers given so far.

    Parameters
    ----------
    network : "linear", "mlp", "cnn", torch module or callable, default="mlp"
        Scores a row; see :func:`~pulps.baselines._shared.perceptrons.build_network`.
    warm_up_epochs : int, default=50
        Epochs without mixtures, before ``max_epochs`` with them.
    warm_up_entropy : float, default=0.002
        Weight of the entropy of population rows in the warm-up.
    entropy : float, default=0.004
        Largest weight of that entropy afterwards; it grows along a cosine.
    mixup_entropy : float, default=0.04
        Weight of the entropy of mixtures.
    mixup_weight : float, default=5.0
        Weight of the cross-entropy of mixtures.
    mixup_concentration : float, default=6.0
        Both parameters of the Beta distribution of the mixing share.
    prior : float or "estimate", default="estimate"
        Share of positives in the population.
    max_epochs : int, default=50
        Passes over the rows.
    learning_rate : float, default=0.003
        Step of AdamW; it falls to zero along a cosine.
    batch_size : int, default=64
        Rows of the population in a batch; as many labeled rows are added, or all of them.
    weight_decay : float, default=0.0001
        Decoupled weight decay.
    scenario : {"single-training-set", "case-control"}, default="single-training-set"
        How the rows were drawn: whether the population is all rows or the unlabeled ones.
    pos_label : object, default=None
        The value of ``y`` that marks a labeled positive; by default the larger number.
    categorical_features : "from_dtype", list or None, default="from_dtype"
        See :class:`~pulps.tables.encoding.TableEncoder`.
    device : str, default="cpu"
        Where to train, as torch names it.
    random_state : int, RandomState or None, default=None
        Seed of weights, batches and the estimate of the prior.

    Attributes
    ----------
    classes_ : array of shape (2,)
        The value of unlabeled (negative) rows, then that of positive rows.
    prior_ : float
        The prior that was used.
    weights_ : dict of arrays
        Weights of the network.
    loss_curve_ : array
        Mean objective of every epoch, warm-up first.
    n_iter_ : int
        Epochs trained.

    Notes
    -----
    Y. Zhao, Q. Xu, Y. Jiang, P. Wen and Q. Huang, *Dist-PU: positive-unlabeled learning from a
    label distribution perspective*, CVPR 2022. Weights of the terms as in the authors' code, and
    after the warm-up a tenth of the learning rate. Chosen here: in a single training set
    the population is all rows, with their prior; sizes; full training without a held-out set.

    Examples
    --------
    >>> from pulps.datasets import make_toy
    >>> X, y, y_true = make_toy("moons", n_rows=300, n_labeled=50, random_state=0)
    >>> model = DistPUClassifier(prior=0.5, random_state=0).fit(X, y)
    >>> float((model.predict(X) == y_true).mean()) > 0.9
    True
    """

    _parameter_constraints = {
        **NETWORK_CONSTRAINTS,
        **PRIOR_CONSTRAINTS,
        "warm_up_epochs": [Interval(Integral, 1, None, closed="left")],
        "warm_up_entropy": [Interval(Real, 0, None, closed="left")],
        "entropy": [Interval(Real, 0, None, closed="left")],
        "mixup_entropy": [Interval(Real, 0, None, closed="left")],
        "mixup_weight": [Interval(Real, 0, None, closed="left")],
        "mixup_concentration": [Interval(Real, 0, None, closed="neither")],
    }

    def __init__(
        self,
        *,
        network: Callable[..., Any] | Literal["mlp", "cnn", "linear"] = "mlp",
        warm_up_epochs: int = 50,
        warm_up_entropy: float = 0.002,
        entropy: float = 0.004,
        mixup_entropy: float = 0.04,
        mixup_weight: float = 5.0,
        mixup_concentration: float = 6.0,
        prior: float | Literal["estimate"] = "estimate",
        max_epochs: int = 50,
        learning_rate: float = 3e-3,
        batch_size: int = 64,
        weight_decay: float = 1e-4,
        scenario: Literal["single-training-set", "case-control"] = "single-training-set",
        pos_label: Any = None,
        categorical_features: Sequence[Any] | Literal["from_dtype"] | None = "from_dtype",
        device: str = "cpu",
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.network = network
        self.warm_up_epochs = warm_up_epochs
        self.warm_up_entropy = warm_up_entropy
        self.entropy = entropy
        self.mixup_entropy = mixup_entropy
        self.mixup_weight = mixup_weight
        self.mixup_concentration = mixup_concentration
        self.prior = prior
        self.max_epochs = max_epochs
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.weight_decay = weight_decay
        self.scenario = scenario
        self.pos_label = pos_label
        self.categorical_features = categorical_features
        self.device = device
        self.random_state = random_state

    def _learn(self, rows: np.ndarray, labeled: np.ndarray, rng: np.random.RandomState) -> None:
        self.prior_ = self._prior(rows, labeled, rng)
        network, generator = self._start(rows, rng)
        groups = self._rows(rows, labeled, self._population(labeled))

        def answers(part: Tensor) -> Tensor:
            return scores(network, part).clamp(-LARGEST_SCORE, LARGEST_SCORE)

        def warm_up(batch: TrainingBatch, epoch: int) -> Tensor:
            other = answers(batch.other)
            loss = distribution_loss(answers(batch.positive), other, self.prior_)
            return loss + self.warm_up_entropy * mean_entropy(other)

        curve = train_network(
            network, groups, warm_up, self._schedule(max_epochs=self.warm_up_epochs), generator
        )
        with torch.no_grad():
            pseudo = torch.sigmoid(answers(groups.other))

        def with_mixtures(batch: TrainingBatch, epoch: int) -> Tensor:
            known, other = answers(batch.positive), answers(batch.other)
            both = torch.cat([batch.positive, batch.other])
            target = torch.cat([torch.ones_like(known), pseudo[batch.which]])
            order = torch.randperm(len(both), generator=generator)
            share = float(rng.beta(self.mixup_concentration, self.mixup_concentration))
            mixed = answers(share * both + (1 - share) * both[order])
            target = share * target + (1 - share) * target[order]
            pseudo[batch.which] = torch.sigmoid(other.detach())
            grown = 1 - math.cos(math.pi / 2 * epoch / self.max_epochs)
            return (
                distribution_loss(known, other, self.prior_)
                + self.entropy * grown * mean_entropy(other)
                + self.mixup_entropy * mean_entropy(mixed)
                + self.mixup_weight * binary_cross_entropy_with_logits(mixed, target)
            )

        slower = self._schedule(learning_rate=0.1 * self.learning_rate)
        curve += train_network(network, groups, with_mixtures, slower, generator)
        self._finish(network, curve)


def distribution_loss(known: Tensor, population: Tensor, prior: float) -> Tensor:
    """Distance of mean answers from the class shares, given scores.

    Parameters
    ----------
    known
        Scores of labeled rows, whose mean answer should be one.
    population
        Scores of rows of the population, whose mean answer should be the prior.
    prior
        Share of positives in the population.

    Returns
    -------
    Tensor
        A number that keeps its gradient.

    Examples
    --------
    >>> zero = torch.zeros(3)
    >>> round(float(distribution_loss(zero, zero, 0.25)), 4)
    1.0
    """
    missed = (torch.sigmoid(known).mean() - 1).abs()
    return missed + (torch.sigmoid(population).mean() - prior).abs() / (2 * prior)


def mean_entropy(answers: Tensor) -> Tensor:
    """Mean entropy of the answers, given scores.

    Parameters
    ----------
    answers
        Scores; the logistic function makes probabilities of them.

    Returns
    -------
    Tensor
        A number that keeps its gradient, from zero to log 2.

    Examples
    --------
    >>> round(float(mean_entropy(torch.zeros(2))), 4)
    0.6931
    """
    return binary_cross_entropy_with_logits(answers, torch.sigmoid(answers))
